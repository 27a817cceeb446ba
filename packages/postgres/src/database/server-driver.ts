import type { CompiledQuery, DatabaseConnection, QueryResult, TransactionSettings } from "kysely";
import pg from "pg";
import { refuseRollback } from "./refuse-rollback.ts";
import { refuseStream } from "./refuse-stream.ts";
import type { Role, RoleDriver } from "./roles.ts";
import type { ServerClient, ServerPool } from "./server-pool.ts";
import { createStatementNames } from "./statement-names.ts";

interface ServerConnection extends DatabaseConnection {
  readonly client: ServerClient;
  /** Role of the transaction under way. */
  role: Role["name"] | undefined;
  /** Something may be left of a transaction: nobody else gets this connection. */
  isSpoilt: boolean;
}

const changing: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** Kysely over the connections of a pool. */
export function createServerDriver(pool: ServerPool): RoleDriver {
  const names = createStatementNames();
  const connect = async (): Promise<ServerConnection> => {
    const client = await pool.connect();
    const connection: ServerConnection = {
      client,
      role: undefined,
      isSpoilt: false,
      async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
        const name = names.nameOf(sql, parameters, connection.role);
        const answer = await client.query(sql, parameters, name).catch((error: unknown) => Promise.reject(names.told(error)));
        const { command, rows = [], rowCount } = answer;
        return { rows: rows as Row[], ...(changing.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) };
      },
      streamQuery: refuseStream,
    };
    return connection;
  };
  /** Ends a transaction, or leaves the connection to nobody. */
  const ask = async (connection: ServerConnection, text: string) => {
    try {
      return await connection.client.query(text);
    } catch (error) {
      connection.isSpoilt = true;
      throw error;
    }
  };
  const driver = {
    init: async () => {},
    acquireConnection: connect,
    async beginTransaction(connection: ServerConnection, settings: TransactionSettings, role?: Role) {
      connection.role = role?.name;
      await ask(connection, beginning(settings, role));
    },
    async commitTransaction(connection: ServerConnection) {
      const { command } = await ask(connection, "commit");
      connection.role = undefined;
      refuseRollback(command);
    },
    async rollbackTransaction(connection: ServerConnection) {
      await ask(connection, "rollback");
      connection.role = undefined;
    },
    releaseConnection: async ({ client, isSpoilt }: ServerConnection) => client.release(isSpoilt),
    destroy: () => pool.end(),
  };
  return driver as RoleDriver;
}

/** All of it in one message: it fails as a whole, and then nothing runs without the role. */
function beginning({ isolationLevel, accessMode }: TransactionSettings, role?: Role): string {
  const how = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean).join(", ");
  const statements = [`begin ${how}`];
  if (role) statements.push(`set local role ${role.name}`);
  if (role?.tenant !== undefined) statements.push(`set local toolwright.tenant = ${literal(role.tenant)}`);
  return statements.join("; ");
}

function literal(text: string): string {
  // It would end the message.
  if (text.includes("\0")) throw Object.assign(new Error("PostgreSQL holds no text with a NUL."), { code: "22021" });
  return pg.escapeLiteral(text);
}
