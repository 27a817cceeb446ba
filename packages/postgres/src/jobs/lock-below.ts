import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { JobName } from "./job-row.ts";

/**
 * Locks the jobs that wait for one, or with `all` also those that wait for these, and gives their ids. In a statement of its own, before they are
 * changed: a statement sees what was committed when it began, not what came while it waited. So the ending of one parent and another try for
 * the other come to their child one after the other, and the later one sees what the earlier one did.
 */
export async function lockBelow(query: Query, { tenant, job }: JobName, all: boolean): Promise<readonly string[]> {
  const { rows } = await sql<{ job: string }>`
    with recursive below as (
      select job from toolwright.job_dependencies where tenant = ${tenant} and parent = ${job}
      union
      select d.job from below join toolwright.job_dependencies d on ${all} and d.tenant = ${tenant} and d.parent = below.job
    )
    select job from toolwright.jobs where tenant = ${tenant} and job in (select job from below) order by job for update`.execute(query);
  return rows.map((row) => row.job);
}
