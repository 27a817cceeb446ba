import type { ApprovalRecord } from "@toolwright/engine";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";

const day = 24 * 60 * 60 * 1000;
const defaultKeepMs = 30 * day;

export interface TidyOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds that approvals and grants are kept when they are over. */
  readonly keepMs?: number;
  readonly onExpired?: (record: ApprovalRecord) => void;
}

/** Notes which approvals nobody answered in time and removes what has been over for long. Of several processes at once, one does it. */
export async function tidyCalls(database: Database, { now, keepMs = defaultKeepMs, onExpired }: TidyOptions): Promise<number> {
  const done = await database.asSystem(async (query) => {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(hashtext('toolwright tidy')) as mine`.execute(query);
    if (!rows[0]?.mine) return undefined;
    const expired = await noteExpired(query, new Date(now));
    const removed = await removeFinished(query, new Date(now), new Date(now - keepMs));
    return { expired, removed };
  });
  for (const record of done?.expired ?? []) onExpired?.(record);
  return done?.removed ?? 0;
}

async function noteExpired(query: Query, now: Date): Promise<readonly ApprovalRecord[]> {
  const rows = await query
    .updateTable("toolwright.approvals")
    .set((approval) => ({ expired_at: approval.ref("expires_at") }))
    .where("expires_at", "<=", now)
    .where("settled_at", "is", null)
    .where("claimed_at", "is", null)
    .where("expired_at", "is", null)
    .returning("record")
    .execute();
  return rows.map(({ record }) => record);
}

async function removeFinished(query: Query, now: Date, before: Date): Promise<number> {
  const removals = [
    query.deleteFrom("toolwright.approvals").where("expires_at", "<", before),
    query
      .deleteFrom("toolwright.grants")
      .where(
        sql<boolean>`least(expires_at, revoked_at, case when used >= max_uses then last_used_at end) < ${before.toISOString()}::timestamptz`,
      ),
    query.deleteFrom("toolwright.idempotency_keys").where("expires_at", "<", now).where("result", "is not", null),
    query.deleteFrom("toolwright.rate_counters").where("idle_at", "<", now),
    query.deleteFrom("toolwright.lost_calls").where("at", "<", before),
  ];
  let count = 0n;
  for (const removal of removals) count += (await removal.executeTakeFirst()).numDeletedRows;
  return Number(count);
}
