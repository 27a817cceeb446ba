import { sql } from "kysely";
import type { Database } from "./database.ts";

interface DatabaseFacts {
  /** Version of PostgreSQL. */
  readonly version: string;
  readonly bytes: number;
  /** Milliseconds that this machine's clock is ahead of the database's, or behind it (negative), to the second. */
  readonly clockGapMs: number;
}

export async function describeDatabase({ owner }: Database): Promise<DatabaseFacts> {
  const { rows } = await sql<Pick<DatabaseFacts, "version" | "bytes"> & { now: number }>`
    select current_setting('server_version') as version, pg_database_size(current_database())::bigint as bytes,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(owner);
  const [{ version, bytes, now } = { version: "", bytes: 0, now: 0 }] = rows;
  return { version, bytes, clockGapMs: Math.round((Date.now() - now) / 1_000) * 1_000 };
}
