import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { createAnnouncer } from "./announcer.ts";
import type { Announcement, Database } from "./database.ts";
import { followChannel } from "./follow-channel.ts";
import { runAsSystem, runAsTenant } from "./run-as-role.ts";
import { toStoreError } from "./store-failure.ts";
import type { Tables } from "./tables.ts";

export interface ServerOptions {
  /** Most connections of this process, one for notices not counted. Default 10. */
  readonly connections?: number;
  /** Milliseconds that a statement may take. Default 30 000. */
  readonly statementTimeoutMs?: number;
  /** Milliseconds that a call waits for a free connection. Default 10 000. */
  readonly acquireTimeoutMs?: number;
  readonly applicationName?: string;
  readonly warn?: (message: string) => void;
}

const numberTypes: ReadonlySet<number> = new Set([pg.types.builtins.INT8]);
/** Numbers that JavaScript holds exactly: sequences, counts and sizes stay far below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    numberTypes.has(oid) && format !== "binary" ? Number : pg.types.getTypeParser(oid, format as "text"),
};

/** A PostgreSQL server, which any number of processes share. Resolves when it answered. */
export async function openServer(url: string, options: ServerOptions = {}): Promise<Database> {
  const connection = {
    connectionString: url,
    application_name: options.applicationName ?? "toolwright",
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 10_000,
    keepAlive: true,
    types: types as pg.CustomTypesConfig,
  };
  const pool = new pg.Pool({ ...connection, max: options.connections ?? 10, statement_timeout: options.statementTimeoutMs ?? 30_000 });
  // A connection that breaks while idle is dropped by the pool; without a listener its error would end the process.
  pool.on("error", (error) => options.warn?.(`A connection to PostgreSQL was lost: ${error.message}`));
  // One that breaks while it is lent out tells its borrower by the query that fails; without a listener that, too, would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  try {
    await pool.query("select 1");
  } catch (error) {
    await pool.end();
    throw toStoreError(error);
  }
  const owner = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const announcer = createAnnouncer((announcements) => void sendNotices(pool, announcements, options));
  const unfollow = followChannel(() => new pg.Client(connection), {
    onNotice: announcer.deliver,
    warn: options.warn ?? (() => {}),
  });
  const told = <Result>(work: Promise<Result>) => work.catch((error: unknown) => Promise.reject(toStoreError(error)));
  return {
    kind: "server",
    owner,
    asTenant: (tenant, work) => told(runAsTenant(owner, tenant, work)),
    asSystem: (work) => told(runAsSystem(owner, work)),
    announce: announcer.announce,
    listen: announcer.listen,
    async close() {
      announcer.close();
      await unfollow();
      await owner.destroy();
    },
  };
}

/** On a connection of the pool after the commit: in the transaction, a notice costs two to four times the throughput. */
async function sendNotices(pool: pg.Pool, announcements: readonly Announcement[], { warn }: ServerOptions): Promise<void> {
  try {
    await pool.query("select pg_notify('toolwright', notice) from unnest($1::text[]) as given(notice)", [
      announcements.map((announcement) => JSON.stringify(announcement)),
    ]);
  } catch (error) {
    warn?.(`A notice to other processes was lost; they look again within seconds: ${String(error)}`);
  }
}
