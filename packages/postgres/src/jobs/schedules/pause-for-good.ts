import type { Query } from "../../database/database.ts";
import { storableText } from "../../database/storable-text.ts";

export interface Pausing {
  readonly tenant: string;
  readonly schedule: string;
  /** For people: what is wrong, and what to do. */
  readonly reason: string;
}

/** Lets a schedule rest that cannot go on by itself, until somebody resumes it. One that is over stays over. */
export async function pauseForGood(query: Query, { tenant, schedule, reason }: Pausing): Promise<void> {
  await query
    .updateTable("toolwright.schedules")
    .set({ paused: true, pause_reason: storableText(reason) })
    .where("tenant", "=", tenant)
    .where("schedule", "=", schedule)
    .where("next_at", "is not", null)
    .where("paused", "=", false)
    .execute();
}
