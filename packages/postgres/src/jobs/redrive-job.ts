import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { endedBadly } from "./enqueue-job.ts";
import type { JobName, JobRow } from "./job-row.ts";
import { lockBelow } from "./lock-below.ts";
import { refuseJob } from "./refuse-job.ts";

export interface Redrive extends JobName {
  readonly mayRepeat: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Gives a job that ended badly another try, and what was skipped for it a new wait. Gives every job whose state changed. */
export async function redriveJob(query: Query, row: JobRow, { tenant, job, mayRepeat, now }: Redrive): Promise<readonly string[]> {
  if (!endedBadly.has(row.state)) throw refuseJob(`${job} is ${row.state}; only a job that did not end well can have another try.`);
  const parents = await readParents(query, { tenant, job });
  const stopped = parents.find(({ state }) => endedBadly.has(state));
  if (stopped && row.state === "skipped")
    throw refuseJob(`${job} was skipped. ${row.reason ?? ""} Redrive that one, and this one follows.`);
  if (stopped) throw refuseJob(`${job} runs after ${stopped.job}, which ended as ${stopped.state}. Redrive that one first.`);
  if (row.started_at !== null && row.state !== "denied" && !row.repeatable && !mayRepeat)
    throw refuseJob(
      `${job} ended as ${row.state} and may have had its effect: ${row.tool} is not one that can run twice without harm. Look first, then redrive it with leave to repeat.`,
    );
  const waitsFor = parents.filter(({ state }) => state !== "done").length;
  await query
    .updateTable("toolwright.jobs")
    .set({
      state: waitsFor > 0 ? "blocked" : "queued",
      waits_for: waitsFor,
      failures: 0,
      try: row.try + 1,
      run_at: new Date(now),
      ended_at: null,
      cancel_reason: null,
      progress: null,
      reason: "It was given another try.",
    })
    .where("tenant", "=", tenant)
    .where("job", "=", job)
    .execute();
  return [job, ...(await waitAgain(query, { tenant, job }))];
}

/** While the job itself is locked: a parent that ends meanwhile waits for it, and then finds what was made of it. */
async function readParents(query: Query, { tenant, job }: JobName): Promise<readonly Pick<JobRow, "job" | "state">[]> {
  const { rows } = await sql<Pick<JobRow, "job" | "state">>`
    select p.job, p.state from toolwright.job_dependencies d join toolwright.jobs p on p.tenant = d.tenant and p.job = d.parent
    where d.tenant = ${tenant} and d.job = ${job} order by p.job`.execute(query);
  return rows;
}

/** One that also waits for another parent which did not end well stays skipped until that one has its other try. */
async function waitAgain(query: Query, { tenant, job }: JobName): Promise<readonly string[]> {
  const below = await lockBelow(query, { tenant, job }, true);
  if (below.length === 0) return [];
  const { rows } = await sql<{ job: string }>`
    with recursive stuck as (
      select d.job from toolwright.job_dependencies d join toolwright.jobs p on p.tenant = d.tenant and p.job = d.parent
      where d.tenant = ${tenant} and d.job = any(${below}::text[])
        and (p.state in ('failed', 'denied', 'cancelled', 'unknown') or p.state = 'skipped' and p.job <> all(${below}::text[]))
      union
      select d.job from stuck join toolwright.job_dependencies d on d.tenant = ${tenant} and d.parent = stuck.job
    )
    update toolwright.jobs waiting set state = 'blocked', reason = null, ended_at = null, waits_for = (
      select count(*) from toolwright.job_dependencies d join toolwright.jobs p on p.tenant = d.tenant and p.job = d.parent
      where d.tenant = ${tenant} and d.job = waiting.job and p.state <> 'done')
    where waiting.tenant = ${tenant} and waiting.job = any(${below}::text[]) and waiting.job not in (select job from stuck)
      and waiting.state = 'skipped'
    returning waiting.job`.execute(query);
  return rows.map((row) => row.job);
}
