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
  const expired = await database.asSystem(async (query) => {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(hashtext('toolwright expired')) as mine`.execute(query);
    if (!rows[0]?.mine) return [];
    return query
      .updateTable("toolwright.approvals")
      .set((approval) => ({ expired_at: approval.ref("expires_at") }))
      .where("expires_at", "<=", new Date(now))
      .where("settled_at", "is", null)
      .where("claimed_at", "is", null)
      .where("expired_at", "is", null)
      .returning("record")
      .execute();
  });
  for (const { record } of expired) onExpired?.(record);
}
