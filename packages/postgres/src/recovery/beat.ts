import { sql } from "kysely";
import type { Database } from "../database/database.ts";

interface BeatOptions {
  readonly process: string;
  readonly role: string;
  readonly host: string;
  readonly leaseMs: number;
  /** Where it runs, where that can be said. */
  readonly place?: string | undefined;
  /** Whom it lets in, if it is a server. */
  readonly admits?: string | undefined;
}

interface Beat {
  readonly isSteady: boolean;
  /** The database's time, in milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Shows that this process lives. It is steady when its own last sign is within the lease: after a sleep of the whole machine, or a jump of
 * the database's clock, everybody else looks dead as well, and gets until the next look to say otherwise. One that is stopped before its commit
 * has its row locked, which would keep it alive for everybody else: the server ends that transaction after a lease.
 */
export function beat(database: Database, { process, role, host, leaseMs, place, admits }: BeatOptions): Promise<Beat> {
  return database.asSystem(async (query) => {
    const { rows } = await sql<{ since: number | null; now: number }>`
      with before as (select seen_at from toolwright.processes where process = ${process})
      insert into toolwright.processes as kept (process, role, host, place, admits, seen_at)
        values (${process}, ${role}, ${host}, ${place ?? null}, ${admits ?? null}, clock_timestamp())
        on conflict (process) do update set seen_at = excluded.seen_at
        returning (extract(epoch from kept.seen_at - (select seen_at from before)) * 1000)::float8 as since,
          (extract(epoch from kept.seen_at) * 1000)::float8 as now,
          set_config('idle_in_transaction_session_timeout', ${String(leaseMs)}, true)`.execute(query);
    const since = rows[0]?.since ?? 0;
    return { isSteady: since >= 0 && since <= leaseMs, now: rows[0]?.now ?? Number.NaN };
  });
}
