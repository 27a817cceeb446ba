import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type { Database } from "./database.ts";
import { refuseStream } from "./refuse-stream.ts";
import type { Tables } from "./tables.ts";

/** For who brings queries of their own: each runs as the system role, over all tenants, in a transaction of its own. */
export function systemHandle(database: Pick<Database, "asSystem">): Kysely<Tables> {
  return new Kysely({ dialect: systemDialect(database) });
}

function systemDialect(database: Pick<Database, "asSystem">): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createSystemDriver(database),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function createSystemDriver(database: Pick<Database, "asSystem">): Driver {
  const connection: DatabaseConnection = {
    executeQuery: <Row>(compiled: CompiledQuery) => database.asSystem((query) => query.executeQuery<Row>(compiled as CompiledQuery<Row>)),
    streamQuery: refuseStream,
  };
  const noTransactions = async () => {
    // One across several calls could wait for itself on the single session of the embedded database.
    throw new Error("Queries of this handle have no transactions over several of them.");
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
