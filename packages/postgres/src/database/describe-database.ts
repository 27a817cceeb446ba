import { sql } from "kysely";
import type { Database } from "./database.ts";

export interface DatabaseFacts {
  /** Of PostgreSQL. */
  readonly version: string;
  readonly bytes: number;
}

export async function describeDatabase({ owner }: Database): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select current_setting('server_version') as version, pg_database_size(current_database())::bigint as bytes`.execute(owner);
  return rows[0] as DatabaseFacts;
}
