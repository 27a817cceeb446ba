import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { JobName } from "./end-job.ts";
import type { JobRow } from "./job-row.ts";
import { refuseJob } from "./refuse-job.ts";

export interface Redrive extends JobName {
  readonly mayRepeat: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Gives a job that ended badly another try, and what was skipped for it a new wait. Gives every job whose state changed. */
export async function redriveJob(query: Query, row: JobRow, { tenant, job, mayRepeat, now }: Redrive): Promise<readonly string[]> {
  if (row.state === "skipped") throw refuseJob(`${job} was skipped. ${row.reason ?? ""} Redrive that one, and this one follows.`);
  if (row.state !== "failed" && row.state !== "denied" && row.state !== "unknown" && row.state !== "cancelled")
    throw refuseJob(`${job} is ${row.state}; only a job that did not end well can have another try.`);
  if (row.started_at !== null && row.state !== "denied" && !row.repeatable && !mayRepeat)
    throw refuseJob(
      `${job} ended as ${row.state} and may have had its effect: ${row.tool} is not one that can run twice without harm. Look first, then redrive it with leave to repeat.`,
    );
  const waitsFor = await countWaits(query, { tenant, job });
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

async function countWaits(query: Query, { tenant, job }: JobName): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from toolwright.job_dependencies d join toolwright.jobs p on p.tenant = d.tenant and p.job = d.parent
    where d.tenant = ${tenant} and d.job = ${job} and p.state <> 'done'`.execute(query);
  return rows[0]?.count ?? 0;
}

/** One that also waits for another parent which did not end well stays skipped until that one has its other try. */
async function waitAgain(query: Query, { tenant, job }: JobName): Promise<readonly string[]> {
  const { rows } = await sql<{ job: string }>`
    with recursive below as (
      select job from toolwright.job_dependencies where tenant = ${tenant} and parent = ${job}
      union
      select d.job from below join toolwright.job_dependencies d on d.tenant = ${tenant} and d.parent = below.job
    ), stuck as (
      select d.job from below join toolwright.job_dependencies d on d.tenant = ${tenant} and d.job = below.job
      join toolwright.jobs p on p.tenant = ${tenant} and p.job = d.parent
      where p.state in ('failed', 'denied', 'cancelled', 'unknown')
      union
      select d.job from stuck join toolwright.job_dependencies d on d.tenant = ${tenant} and d.parent = stuck.job
    )
    update toolwright.jobs waiting set state = 'blocked', reason = null, ended_at = null, waits_for = (
      select count(*) from toolwright.job_dependencies d join toolwright.jobs p on p.tenant = d.tenant and p.job = d.parent
      where d.tenant = ${tenant} and d.job = waiting.job and p.state <> 'done')
    where waiting.tenant = ${tenant} and waiting.job in (select job from below) and waiting.job not in (select job from stuck)
      and waiting.state = 'skipped'
    returning waiting.job`.execute(query);
  return rows.map((row) => row.job);
}
