import { sql } from "kysely";
import type { Database } from "../database/database.ts";

export interface BeatOptions {
  readonly process: string;
  readonly role: string;
  readonly host: string;
  readonly leaseMs: number;
}

/**
 * Shows that this process lives. It is steady when its own last sign is within the lease: after a sleep of the whole machine, or a jump of
 * the database's clock, everybody else looks dead as well, and gets until the next look to say otherwise.
 */
export function beat(database: Database, { process, role, host, leaseMs }: BeatOptions): Promise<{ readonly isSteady: boolean }> {
  return database.asSystem(async (query) => {
    const { rows } = await sql<{ since: number | null }>`
      with before as (select seen_at from toolwright.processes where process = ${process})
      insert into toolwright.processes as kept (process, role, host, seen_at) values (${process}, ${role}, ${host}, clock_timestamp())
        on conflict (process) do update set seen_at = excluded.seen_at
        returning (extract(epoch from kept.seen_at - (select seen_at from before)) * 1000)::float8 as since`.execute(query);
    const since = rows[0]?.since ?? 0;
    return { isSteady: since >= 0 && since <= leaseMs };
  });
}
