import { sql } from "kysely";
import type { Database } from "../database/database.ts";

const mostAtOnce = 5_000;

/** Removes jobs that ended well or were given up long ago. What failed or is unknown stays until somebody has dealt with it. Says how many went. */
export async function pruneJobs(database: Database, { now, keepMs }: { readonly now: number; readonly keepMs: number }): Promise<number> {
  const { numAffectedRows } = await database.asSystem((query) =>
    sql`delete from toolwright.jobs where (tenant, job) in (
      select tenant, job from toolwright.jobs where ended_at < ${new Date(now - keepMs)} and state in ('done', 'cancelled', 'skipped')
      limit ${mostAtOnce})`.execute(query),
  );
  return Number(numAffectedRows ?? 0n);
}
