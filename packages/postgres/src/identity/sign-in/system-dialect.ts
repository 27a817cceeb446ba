import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type { Database } from "../../database/database.ts";

/** For libraries that bring their own queries: each runs as the system role, in a transaction of its own. */
export function systemDialect(database: Database): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createSystemDriver(database),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function createSystemDriver(database: Database): Driver {
  const connection: DatabaseConnection = {
    executeQuery: <Row>(compiled: CompiledQuery) => database.asSystem((query) => query.executeQuery<Row>(compiled as CompiledQuery<Row>)),
    // biome-ignore lint/correctness/useYield: the interface wants a generator.
    async *streamQuery() {
      throw new Error("Queries of libraries do not stream.");
    },
  };
  const noTransactions = async () => {
    // One across several calls of a library could wait for itself on the single session of the embedded database.
    throw new Error("Queries of libraries have no transactions.");
  };
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}
