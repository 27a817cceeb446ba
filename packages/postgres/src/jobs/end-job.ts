import type { CallResult, JobState } from "@toolwright/engine";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { whySkipped } from "./enqueue-job.ts";

export interface JobName {
  readonly tenant: string;
  readonly job: string;
}

export interface JobEnding {
  readonly state: Exclude<JobState, "blocked" | "queued" | "running">;
  readonly result?: CallResult;
  readonly reason?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Number of the start that ends; without it the job ends wherever it is. */
  readonly attempt?: number;
}

/** Ends a job, and lets go or skips those that wait for it. Gives every job whose state changed; none when this start counts no more. */
export async function endJob(query: Query, { tenant, job }: JobName, ending: JobEnding): Promise<readonly string[]> {
  const { state, result, reason, at, attempt } = ending;
  const ended = await query
    .updateTable("toolwright.jobs")
    .set({
      state,
      ...(result && { result: JSON.stringify(result) }),
      reason: reason ?? null,
      ended_at: new Date(at),
      ticket: null,
      ticket_at: null,
      worker: null,
    })
    .where("tenant", "=", tenant)
    .where("job", "=", job)
    .where((where) =>
      attempt === undefined
        ? where("state", "in", ["blocked", "queued", "running"])
        : where.and([where("state", "=", "running"), where("attempts", "=", attempt)]),
    )
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n) return [];
  const touched = state === "done" ? await letGo(query, { tenant, job }) : await skipBelow(query, { tenant, job, state, at });
  return [job, ...touched];
}

/** A counter and not a look at the other parents: two that end at once would each see the other as running. */
async function letGo(query: Query, { tenant, job }: JobName): Promise<readonly string[]> {
  const { rows } = await sql<{ job: string }>`
    with children as (
      select child.job from toolwright.jobs child join toolwright.job_dependencies d on d.tenant = child.tenant and d.job = child.job
      where child.tenant = ${tenant} and d.parent = ${job} order by child.job for update of child
    )
    update toolwright.jobs waiting
    set waits_for = waiting.waits_for - 1, state = case when waiting.waits_for = 1 then 'queued' else waiting.state end
    from children where waiting.tenant = ${tenant} and waiting.job = children.job and waiting.state = 'blocked'
    returning waiting.job`.execute(query);
  return rows.map((row) => row.job);
}

interface Skipping extends JobName {
  readonly state: string;
  readonly at: number;
}

/** All the way down: what waits for a skipped one will never run either. */
async function skipBelow(query: Query, { tenant, job, state, at }: Skipping): Promise<readonly string[]> {
  const { rows } = await sql<{ job: string }>`
    with recursive below as (
      select job from toolwright.job_dependencies where tenant = ${tenant} and parent = ${job}
      union
      select d.job from below join toolwright.job_dependencies d on d.tenant = ${tenant} and d.parent = below.job
    )
    update toolwright.jobs set state = 'skipped', reason = ${whySkipped(job, state)}, ended_at = ${new Date(at)}
    where tenant = ${tenant} and job in (select job from below) and state = 'blocked'
    returning job`.execute(query);
  return rows.map((row) => row.job);
}
