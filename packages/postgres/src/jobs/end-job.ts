import type { CallResult } from "@toolwright/engine";
import type { JobState } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { whySkipped } from "./enqueue-job.ts";
import type { JobName } from "./job-row.ts";
import { lockBelow } from "./lock-below.ts";

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
      reason: reason === undefined ? null : storableText(reason),
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
  const children = await lockBelow(query, { tenant, job }, false);
  if (children.length === 0) return [];
  const { rows } = await sql<{ job: string }>`
    update toolwright.jobs
    set waits_for = waits_for - 1, state = case when waits_for = 1 then 'queued' else state end
    where tenant = ${tenant} and job = any(${children}::text[]) and state = 'blocked'
    returning job`.execute(query);
  return rows.map((row) => row.job);
}

interface Skipping extends JobName {
  readonly state: string;
  readonly at: number;
}

/** All the way down: what waits for a skipped one will never run either. */
async function skipBelow(query: Query, { tenant, job, state, at }: Skipping): Promise<readonly string[]> {
  const below = await lockBelow(query, { tenant, job }, true);
  if (below.length === 0) return [];
  const { rows } = await sql<{ job: string }>`
    update toolwright.jobs set state = 'skipped', reason = ${whySkipped(job, state)}, ended_at = ${new Date(at)}
    where tenant = ${tenant} and job = any(${below}::text[]) and state = 'blocked'
    returning job`.execute(query);
  return rows.map((row) => row.job);
}
