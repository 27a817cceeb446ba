import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** Connections to this database that wait for a lock which another one has. Ask beside the transaction that holds them up. */
export async function countWaiting(owner: Kysely<Tables>): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(owner);
  return rows.length;
}
