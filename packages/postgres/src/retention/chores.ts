import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Query } from "../database/database.ts";

const day = 24 * 60 * 60 * 1000;
const hour = 60 * 60 * 1000;

/** How long what is over is kept, in milliseconds. */
export interface Periods {
  /** Approvals, grants, jobs, schedules, sign-ins and events of rooms that are over. */
  readonly overMs: number;
  /** Sessions of the log without an event; undefined for ever. */
  readonly logMs?: number | undefined;
  /** Files that calls kept; undefined for as long as the log of their session. */
  readonly artifactsMs?: number | undefined;
}

export const defaultPeriods: Periods = { overMs: 30 * day };

/** Rows of one table that are over. */
interface Chore {
  /** In the plural, as an operator reads it. */
  readonly what: string;
  readonly table: string;
  readonly over: RawBuilder<SqlBool>;
  /** Rows that one transaction removes. */
  readonly atOnce?: number;
}

/** What nobody looks at and nobody misses. */
export const unusedRecords = "unused records";

const rowsAtOnce = 1_000;

/** What goes beside the sessions of the log. Nothing that waits, runs or may be used is among it; failed jobs wait for somebody to deal with them. */
export function choresAt(now: number, { overMs, artifactsMs }: Periods): readonly Chore[] {
  const [at, before] = [new Date(now), new Date(now - overMs)];
  const expired = (what: string, table: string): Chore => ({ what, table, over: sql`expires_at < ${before}` });
  return [
    expired("approvals", "approvals"),
    {
      what: "grants",
      table: "grants",
      over: sql`least(expires_at, revoked_at, case when used >= max_uses then last_used_at end) < ${before}`,
    },
    { what: unusedRecords, table: "idempotency_keys", over: sql`expires_at < ${at} and result is not null` },
    { what: unusedRecords, table: "suspended_calls", over: sql`keep_until < ${at}` },
    { what: unusedRecords, table: "rate_counters", over: sql`idle_at < ${at}` },
    { what: unusedRecords, table: "lost_calls", over: sql`at < ${before}` },
    { what: "jobs", table: "jobs", over: endedJobs(before) },
    { what: "schedules", table: "schedules", over: sql`cron is null and next_at is null and coalesce(last_at, created_at) < ${before}` },
    { what: "events of rooms", table: "room_events", over: sql`closed_at < ${before}` },
    { what: "messages of rooms", table: "room_messages", over: sql`at < ${before}` },
    { what: "memories", table: "memories", over: sql`expires_at < ${at}` },
    expired(unusedRecords, "auth_sessions"),
    expired(unusedRecords, "auth_verifications"),
    expired(unusedRecords, "password_resets"),
    expired(unusedRecords, "oauth_access_tokens"),
    expired(unusedRecords, "oauth_refresh_tokens"),
    expired(unusedRecords, "oauth_client_assertions"),
    unusedClients(new Date(now - day), before),
    { what: unusedRecords, table: "client_sessions", over: sql`used_at < ${new Date(now - 7 * day)}` },
    { what: unusedRecords, table: "seal_keys", over: sql`created_at < ${new Date(now - 7 * day)}` },
    // Nobody sends a batch again after a week.
    { what: unusedRecords, table: "event_writers", over: sql`written_at < ${new Date(now - 7 * day)}` },
    // Begun and not finished. Versions that wait are not among them.
    {
      what: unusedRecords,
      table: "document_uploads",
      over: sql`written_at < ${new Date(now - hour)} and not exists (select from toolwright.documents as document
        where document.tenant = kept.tenant and document.upload = kept.upload)`,
      atOnce: 50,
    },
    ...(artifactsMs === undefined ? [] : [oldArtifacts(new Date(now - artifactsMs))]),
    // After the artifacts: contents that were begun and never finished, and those that no artifact has any more.
    {
      what: unusedRecords,
      table: "artifact_contents",
      over: sql`hash is null and written_at < ${new Date(now - hour)} or hash is not null and not exists (select from toolwright.artifacts as artifact
        where artifact.tenant = kept.tenant and artifact.content = kept.content)`,
      atOnce: 50,
    },
  ];
}

/** A skipped one stays as long as a dead letter that it was to run after, however far up: it follows when that one has another try. */
const endedJobs = (
  before: Date,
) => sql<SqlBool>`ended_at < ${before} and (state in ('done', 'cancelled') or state = 'skipped' and not exists (
  with recursive above as (
    select parent from toolwright.job_dependencies d where d.tenant = kept.tenant and d.job = kept.job
    union
    select d.parent from above join toolwright.job_dependencies d on d.tenant = kept.tenant and d.job = above.parent
  )
  select from above join toolwright.jobs j on j.tenant = kept.tenant and j.job = above.parent where j.state in ('failed', 'denied', 'unknown')))`;

/**
 * Programs that act for nobody. Anybody may register, so one that nobody ever let in goes soon, and so does a stored document, which is read again. One
 * that people took everything back from is kept a while: it can only ask them again under the id that it has. `withdrawAccess` writes down when.
 */
const unusedClients = (recent: Date, before: Date): Chore => ({
  what: unusedRecords,
  table: "oauth_clients",
  over: sql`coalesce(updated_at, created_at) < case when updated_at > created_at and client_discovery_id is null then ${before}::timestamptz else ${recent} end
    and not exists (select from toolwright.oauth_consents as consent where consent.client_id = kept.client_id)
    and not exists (select from toolwright.oauth_access_tokens as token where token.client_id = kept.client_id)
    and not exists (select from toolwright.oauth_refresh_tokens as token where token.client_id = kept.client_id)`,
});

/** Not of a call that runs still. */
const oldArtifacts = (before: Date): Chore => ({
  what: "artifacts",
  table: "artifacts",
  over: sql`created_at < ${before} and not exists (select from toolwright.calls_in_flight as call
    where call.tenant = kept.tenant and call.call_id = kept.call_id)`,
});

/** Removes some; fewer than it may are the last. What somebody works on at the moment is left for the next time. */
export async function removeRows(query: Query, { table, over, atOnce = rowsAtOnce }: Chore): Promise<{ count: number; more: boolean }> {
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(`toolwright.${table}`)} where ctid = any(array(
    select kept.ctid from ${sql.table(`toolwright.${table}`)} as kept where ${over} limit ${sql.lit(atOnce)} for update skip locked))`.execute(
    query,
  );
  const count = Number(numAffectedRows);
  return { count, more: count >= atOnce };
}

export async function countRows(query: Query, { table, over }: Chore): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from ${sql.table(`toolwright.${table}`)} as kept where ${over}`.execute(query);
  return rows[0]?.count ?? 0;
}
