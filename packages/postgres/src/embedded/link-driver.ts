import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import { refuseRollback } from "../database/refuse-rollback.ts";
import { refuseStream } from "../database/refuse-stream.ts";
import type { Role, RoleDriver } from "../database/roles.ts";
import type { EmbeddedLink, LinkTransaction } from "./embedded-link.ts";
import { isLost } from "./join-host.ts";

interface LinkConnection extends DatabaseConnection {
  transaction: LinkTransaction | undefined;
}

/**
 * Kysely over a link to the embedded database; a link that broke is found anew. A process has one connection, which Kysely lends to one caller at a
 * time.
 */
export function createLinkDriver(find: () => Promise<EmbeddedLink>): RoleDriver {
  const connection: LinkConnection = {
    transaction: undefined,
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, affected } = await (connection.transaction ?? (await find())).query(sql, parameters);
      return { rows: rows as Row[], ...(affected !== undefined && { numAffectedRows: BigInt(affected) }) };
    },
    streamQuery: refuseStream,
  };
  const leave = () => {
    const { transaction } = connection;
    connection.transaction = undefined;
    return transaction;
  };
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    async beginTransaction(_connection, _settings, role?: Role) {
      const begin = async () => (await find()).begin(role);
      // Nothing was done yet, so a way that broke can be found anew.
      connection.transaction = await begin().catch((error: unknown) => (isLost(error) ? begin() : Promise.reject(error)));
    },
    commitTransaction: async () => refuseRollback(await leave()?.commit()),
    rollbackTransaction: async () => leave()?.rollback(),
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}
