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

interface Look {
  /** Everybody on record shows life and nobody else has begun anything: there is nobody whose calls are to be ended. */
  readonly isQuiet: boolean;
  /** The database's time, in milliseconds since the epoch. */
  readonly now: number;
}

const nobodyIsLost = (leaseMs: number) => sql<boolean>`(not exists (
    select from toolwright.processes where abs(extract(epoch from clock_timestamp() - seen_at)) * 1000 > ${leaseMs}
  ) and not exists (
    select from toolwright.calls_in_flight as c where not exists (select from toolwright.processes as p where p.process = c.process)
  ) and not exists (
    select from toolwright.idempotency_keys as c
      where c.result is null and not exists (select from toolwright.processes as p where p.process = c.process)
  ))`;

/**
 * Shows that this process lives. It is steady when its own last sign is within the lease: after a sleep of the whole machine, or a jump of
 * the database's clock, everybody else looks dead as well, and gets until the next look to say otherwise. One that is stopped before its commit
 * has its row locked, which would keep it alive for everybody else: the server ends that transaction after a lease.
 */
export function beat(
  database: Database,
  { process, role, host, leaseMs, place, admits }: BeatOptions,
): Promise<Look & { readonly isSteady: boolean }> {
  return database.asSystem(async (query) => {
    const { rows } = await sql<{ since: number | null; now: number; quiet: boolean }>`
      with before as (select seen_at from toolwright.processes where process = ${process})
      insert into toolwright.processes as kept (process, role, host, place, admits, seen_at)
        values (${process}, ${role}, ${host}, ${place ?? null}, ${admits ?? null}, clock_timestamp())
        on conflict (process) do update set seen_at = excluded.seen_at
        returning (extract(epoch from kept.seen_at - (select seen_at from before)) * 1000)::float8 as since,
          (extract(epoch from kept.seen_at) * 1000)::float8 as now, ${nobodyIsLost(leaseMs)} as quiet,
          set_config('idle_in_transaction_session_timeout', ${String(leaseMs)}, true)`.execute(query);
    const since = rows[0]?.since ?? 0;
    return { isSteady: since >= 0 && since <= leaseMs, isQuiet: rows[0]?.quiet === true, now: rows[0]?.now ?? Number.NaN };
  });
}

/** Looks, and writes nothing. */
export function listen(database: Database, leaseMs: number): Promise<Look> {
  return database.asSystem(async (query) => {
    const { rows } = await sql<{ quiet: boolean; now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now, ${nobodyIsLost(leaseMs)} as quiet`.execute(query);
    return { isQuiet: rows[0]?.quiet === true, now: rows[0]?.now ?? Number.NaN };
  });
}
