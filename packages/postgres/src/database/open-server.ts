import { PostgresAdapter } from "kysely";
import pg from "pg";
import { createAnnouncer } from "./announcer.ts";
import type { Announcement, Database } from "./database.ts";
import { followChannel } from "./follow-channel.ts";
import { openHandles } from "./roles.ts";
import { createServerDriver } from "./server-driver.ts";
import { createServerPool, type ServerPool } from "./server-pool.ts";
import { toStoreError } from "./store-failure.ts";

export interface ServerOptions {
  /** Most connections of this process, one for notices not counted. Default 10. */
  readonly connections?: number;
  /** Milliseconds that a statement may take. Default 30 000. */
  readonly statementTimeoutMs?: number;
  /** Milliseconds that a call waits for a free connection. Default 10 000. */
  readonly acquireTimeoutMs?: number;
  /** Milliseconds that the server may leave a question unanswered that costs it nothing, before every connection is cut. Default 5 000. */
  readonly silenceMs?: number;
  readonly applicationName?: string;
  readonly warn?: (message: string) => void;
}

/** Milliseconds beyond the statement timeout for an answer, and for queries to end when the database is closed. */
const graceMs = 5_000;

const numberTypes: ReadonlySet<number> = new Set([pg.types.builtins.INT8]);
/** Numbers that JavaScript holds exactly: sequences, counts and sizes stay far below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    numberTypes.has(oid) && format !== "binary" ? Number : pg.types.getTypeParser(oid, format as "text"),
};

/** A PostgreSQL server, which any number of processes share. Resolves when it answered. */
export async function openServer(url: string, options: ServerOptions = {}): Promise<Database> {
  const { acquireTimeoutMs = 10_000, statementTimeoutMs = 30_000, warn = () => {} } = options;
  const connection = {
    connectionString: url,
    application_name: options.applicationName ?? "toolwright",
    connectionTimeoutMillis: acquireTimeoutMs,
    keepAlive: true,
    types: types as pg.CustomTypesConfig,
  };
  const pool = createServerPool(
    { ...connection, max: options.connections ?? 10, statement_timeout: statementTimeoutMs },
    { acquireTimeoutMs, answerTimeoutMs: statementTimeoutMs + graceMs, warn },
  );
  try {
    await ask(pool, "select 1");
  } catch (error) {
    await pool.end();
    throw toStoreError(error);
  }
  const handles = openHandles(createServerDriver(pool), new PostgresAdapter());
  const announcer = createAnnouncer((announcements) => sendNotices(pool, announcements, options));
  const unfollow = followChannel(() => new pg.Client(connection), {
    onNotice: announcer.deliver,
    onSilent: pool.cut,
    warn,
    silenceMs: options.silenceMs ?? 5_000,
  });
  let ending: Promise<void> | undefined;
  const end = async () => {
    await announcer.close();
    await unfollow();
    const cutting = setTimeout(pool.cut, graceMs);
    await handles.owner.destroy();
    clearTimeout(cutting);
  };
  const database: Database = {
    kind: "server",
    ...handles,
    announce: announcer.announce,
    listen: announcer.listen,
    // Its readers have snapshots, for which no writer waits.
    detach: async () => database,
    close() {
      ending ??= end();
      return ending;
    },
  };
  return database;
}

async function ask(pool: ServerPool, text: string, values: readonly unknown[] = []): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(text, values);
  } finally {
    client.release();
  }
}

/** On a connection of the pool after the commit: in the transaction, a notice costs two to four times the throughput. */
async function sendNotices(pool: ServerPool, announcements: readonly Announcement[], { warn }: ServerOptions): Promise<void> {
  try {
    await ask(pool, "select pg_notify('toolwright', notice) from unnest($1::text[]) as given(notice)", [
      announcements.map((announcement) => JSON.stringify(announcement)),
    ]);
  } catch (error) {
    warn?.(`A notice to other processes was lost; they look again within seconds: ${String(error)}`);
  }
}
