import type { Query } from "../database/database.ts";

export interface Pausing {
  readonly tenant: string;
  readonly schedule: string;
  /** A sentence. */
  readonly why: string;
}

/** Lets a schedule rest that acts for nobody any more, until somebody resumes it. One that is over stays over. */
export async function pauseForGood(query: Query, { tenant, schedule, why }: Pausing): Promise<void> {
  await query
    .updateTable("toolwright.schedules")
    .set({ paused: true, pause_reason: `${why} Give back what it needs and resume it, or let somebody who may make it anew.` })
    .where("tenant", "=", tenant)
    .where("schedule", "=", schedule)
    .where("next_at", "is not", null)
    .where("paused", "=", false)
    .execute();
}
