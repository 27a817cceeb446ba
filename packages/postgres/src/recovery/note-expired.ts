import type { ApprovalRecord } from "@toolwright/engine";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";

interface NoteOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly onExpired?: (record: ApprovalRecord) => void;
}

/** Notes which approvals nobody answered in time, and tells of each. Of several processes at once, one does it. */
export async function noteExpired(database: Database, { now, onExpired }: NoteOptions): Promise<void> {
  const unnoted = sql<boolean>`expires_at <= ${new Date(now)} and settled_at is null and claimed_at is null and expired_at is null`;
  const expired = await database.asSystem(async (query) => {
    // Mostly there is none, and to look is less than to try.
    const found = await query.selectFrom("toolwright.approvals").select("call_id").where(unnoted).limit(1).executeTakeFirst();
    if (!found) return [];
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(hashtext('toolwright expired')) as mine`.execute(query);
    if (!rows[0]?.mine) return [];
    return query
      .updateTable("toolwright.approvals")
      .set((approval) => ({ expired_at: approval.ref("expires_at") }))
      .where(unnoted)
      .returning("record")
      .execute();
  });
  for (const { record } of expired) onExpired?.(record);
}
