import type { OldSessions, SessionCounts } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { isOpenRow } from "../turns/turn-row.ts";

export interface SessionName {
  readonly tenant: string;
  readonly session: string;
}

/** Counts what was removed, and says where to go on; undefined at the end. */
export interface SessionPage extends SessionCounts {
  readonly next: SessionName | undefined;
}

/** Sessions that one transaction looks at, and events after which it takes no further one. */
const sessionsAtOnce = 200;
const eventsAtOnce = 5_000;

/**
 * Removes the events, artifacts, messages and turns of sessions that have been over for long. The session's row stays and says where the chain ended, so that
 * the log is still known to be whole, and a session that goes on does so in the same chain.
 */
export async function removeOldSessions(database: Database, old: OldSessions): Promise<SessionCounts> {
  const total = { sessions: 0, events: 0, artifacts: 0, messages: 0 };
  const busy = await database.asSystem(readBusySessions);
  if (old.dryRun) return database.asSystem((query) => countOldSessions(query, { ...old, busy, artifactsSince: 0 }));
  for (let after: SessionName | undefined; ; ) {
    const page = await database.asSystem((query) => removeSessionPage(query, { ...old, busy, after }));
    total.sessions += page.sessions;
    total.events += page.events;
    total.artifacts += page.artifacts;
    total.messages += page.messages;
    if (!page.next) return total;
    after = page.next;
  }
}

/** Sessions in which something runs or waits, however long ago it began: they are not over. Whatever begins from now on is no old session's. */
export async function readBusySessions(query: Query): Promise<readonly SessionName[]> {
  const { rows } = await sql<SessionName>`
    select event.tenant, event.session from toolwright.events as event join (
        select tenant, call_id from toolwright.calls_in_flight
        union select tenant, call_id from toolwright.approvals where claimed_at is null and expires_at > clock_timestamp()
      ) as call using (tenant, call_id) where event.type <> 'tool.output_appended'
    union select tenant, session from toolwright.jobs where state in ('blocked', 'queued', 'running')
    union select tenant, conversation from toolwright.turns where ${isOpenRow}`.execute(query);
  return rows;
}

export interface PageOptions extends OldSessions {
  readonly busy: readonly SessionName[];
  readonly after?: SessionName | undefined;
}

/** The old sessions of one page, each whole or not at all. */
export async function removeSessionPage(query: Query, options: PageOptions): Promise<SessionPage> {
  // Locked as a writer locks them, so none goes on meanwhile; one that is written to now is not old.
  const { rows } = await sql<SessionCounts & { seen: number; tenant: string | null; session: string | null }>`
    with seen as materialized (
      ${selectOld(options)} order by tenant, session limit ${sql.lit(sessionsAtOnce)} for no key update skip locked
    ), summed as (
      select *, sum(events) over (order by tenant, session) - events as earlier from seen
    ), old as materialized (
      select * from summed where earlier < ${sql.lit(eventsAtOnce)}
    ), events as (
      delete from toolwright.events as event using old where event.tenant = old.tenant and event.session = old.session returning 1
    ), artifacts as (
      delete from toolwright.artifacts as artifact using old where artifact.tenant = old.tenant and artifact.session = old.session returning 1
    ), messages as (
      delete from toolwright.messages as message using old where message.tenant = old.tenant and message.conversation = old.session returning 1
    ), contexts as (
      delete from toolwright.contexts as context using old where context.tenant = old.tenant and context.conversation = old.session
    ), memories as (
      delete from toolwright.memories as memory using old where memory.tenant = old.tenant and memory.session = old.session
    ), turns as (
      delete from toolwright.turns as turn using old where turn.tenant = old.tenant and turn.conversation = old.session
    ), heads as (
      update toolwright.sessions as kept set removed_through = kept.sequence, removed_hash = kept.hash, removed_at = clock_timestamp(), title = null,
        has_messages = false
      from old where kept.tenant = old.tenant and kept.session = old.session returning 1
    ), last as (
      select tenant, session from old order by tenant desc, session desc limit 1
    )
    select (select count(*) from seen)::int as seen, (select count(*) from heads)::int as sessions, (select count(*) from events)::int as events,
      (select count(*) from artifacts)::int as artifacts, (select count(*) from messages)::int as messages, (select tenant from last) as tenant, (select session from last) as session`.execute(
    query,
  );
  const { seen = 0, sessions = 0, events = 0, artifacts = 0, messages = 0, tenant, session } = rows[0] ?? {};
  const isLast = seen < sessionsAtOnce && sessions === seen;
  return { sessions, events, artifacts, messages, next: isLast || tenant == null || session == null ? undefined : { tenant, session } };
}

/** Counts old sessions, and their artifacts that were kept since `artifactsSince`. */
export async function countOldSessions(query: Query, options: PageOptions & { readonly artifactsSince: number }): Promise<SessionCounts> {
  const { rows } = await sql<SessionCounts>`
    with old as materialized (${selectOld(options)})
    select count(*)::float8 as sessions, coalesce(sum(events), 0)::float8 as events,
      (select count(*) from toolwright.artifacts as artifact join old using (tenant, session)
        where created_at >= ${new Date(options.artifactsSince)})::float8 as artifacts,
      (select count(*) from toolwright.messages as message join old on message.tenant = old.tenant and message.conversation = old.session)::float8
        as messages from old`.execute(query);
  return rows[0] ?? { sessions: 0, events: 0, artifacts: 0, messages: 0 };
}

function selectOld({ before, tenant, busy, after }: PageOptions) {
  const time = new Date(before);
  const conditions = [
    sql`last_at < ${time} and written_at < ${time} and (sequence > removed_through or has_messages)`,
    ...(tenant === undefined ? [] : [sql`tenant = ${tenant}`]),
    ...(after === undefined ? [] : [sql`(tenant, session) > (${after.tenant}, ${after.session})`]),
    ...(busy.length === 0
      ? []
      : [
          sql`(tenant, session) not in (select * from unnest(${busy.map((each) => each.tenant)}::text[], ${busy.map((each) => each.session)}::text[]))`,
        ]),
  ];
  return sql`select tenant, session, sequence - removed_through as events from toolwright.sessions where ${sql.join(conditions, sql` and `)}`;
}
