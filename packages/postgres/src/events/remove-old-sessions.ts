import { sql } from "kysely";
import { sweepArtifacts } from "../artifacts/sweep-artifacts.ts";
import type { Database, Query } from "../database/database.ts";

export interface Retention {
  /** Milliseconds since the epoch: sessions without an event since then are removed. */
  readonly before: number;
  /** All tenants without one. */
  readonly tenant?: string | undefined;
}

export interface Removed {
  readonly sessions: number;
  readonly events: number;
  readonly artifacts: number;
}

const sessionsAtOnce = 200;

/**
 * Removes the events and artifacts of sessions that have been over for long. The session's row stays and says where the chain ended, so that
 * the log is still known to be whole, and a session that goes on does so in the same chain.
 */
export async function removeOldSessions(database: Database, retention: Retention): Promise<Removed> {
  const total = { sessions: 0, events: 0, artifacts: 0 };
  for (;;) {
    const some = await database.asSystem((query) => removeSome(query, retention));
    total.sessions += some.sessions;
    total.events += some.events;
    total.artifacts += some.artifacts;
    if (some.sessions < sessionsAtOnce) break;
  }
  await sweepArtifacts(database);
  // Nobody sends a batch again after a week.
  await database.asSystem((query) =>
    sql`delete from toolwright.event_writers where written_at < clock_timestamp() - interval '7 days'`.execute(query),
  );
  return total;
}

async function removeSome(query: Query, { before, tenant }: Retention): Promise<Removed> {
  const time = new Date(before);
  // Locked as a writer locks them, so none goes on meanwhile; one that is written to now is not old.
  const { rows } = await sql<Removed>`
    with old as materialized (
      select tenant, session, sequence from toolwright.sessions
      where last_at < ${time} and written_at < ${time} and sequence > removed_through and (${tenant ?? null}::text is null or tenant = ${tenant ?? null})
      order by tenant, session limit ${sql.lit(sessionsAtOnce)} for no key update skip locked
    ), events as (
      delete from toolwright.events as event using old where event.tenant = old.tenant and event.session = old.session returning 1
    ), artifacts as (
      delete from toolwright.artifacts as artifact using old where artifact.tenant = old.tenant and artifact.session = old.session returning 1
    ), heads as (
      update toolwright.sessions as kept set removed_through = kept.sequence, removed_hash = kept.hash, removed_at = clock_timestamp()
      from old where kept.tenant = old.tenant and kept.session = old.session returning 1
    )
    select (select count(*) from heads) as sessions, (select count(*) from events) as events, (select count(*) from artifacts) as artifacts`.execute(
    query,
  );
  return rows[0] ?? { sessions: 0, events: 0, artifacts: 0 };
}
