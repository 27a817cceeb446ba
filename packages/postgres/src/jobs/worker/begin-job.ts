import type { Principal } from "@toolwright/engine";
import type { Query } from "../../database/database.ts";
import { endJob } from "../end-job.ts";
import type { JobRow } from "../job-row.ts";
import { pauseForGood } from "../schedules/pause-for-good.ts";
import { findStanding, type StandingOptions, type Stands } from "./find-standing.ts";
import type { Ticket } from "./open-queue.ts";
import { readRecorded } from "./recorded-call.ts";
import { settleRecorded } from "./settle-job.ts";

export interface Beginning extends StandingOptions {
  /** The one that runs it. */
  readonly worker: string;
  /** Whether the tool does no harm when it runs twice. */
  readonly isRepeatable: (row: JobRow, principal: Principal) => boolean;
}

/** A job to run, and whom it acts for. */
export interface Start {
  readonly row: JobRow;
  readonly standing: Stands;
  /** The worker that began it and fell silent. */
  readonly takenFrom?: string;
}

export interface Begun {
  /** Absent when there is nothing to run. */
  readonly start?: Start;
  /** True while the call that another worker began has not ended: look again later. */
  readonly isUnderWay?: true;
  /** Jobs whose state changed. */
  readonly changed: readonly string[];
}

/**
 * Takes up the job of a ticket, as the system, who may look at all that a right depends on. One that runs already was left by a worker that
 * fell silent: it ends as its call did, where that is recorded; else it runs again where that is harmless, and otherwise ends as `unknown`.
 * One that acts for nobody any more ends as `denied`.
 */
export async function beginJob(query: Query, { id, tenant, job }: Ticket, beginning: Beginning): Promise<Begun> {
  const row = await query
    .selectFrom("toolwright.jobs")
    .selectAll()
    .where("tenant", "=", tenant)
    .where("job", "=", job)
    .where("ticket", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return { changed: [] };
  if (row.state === "running") return takeOver(query, row, beginning);
  if (await isSuspended(query, tenant)) return { changed: await putBack(query, row) };
  const standing = await findStanding(query, { ...row.principal, tenant }, beginning);
  if ("gone" in standing) return { changed: await denyJob(query, row, { why: standing.gone, now: beginning.now }) };
  return { start: await startJob(query, { row, standing }, beginning), changed: [job] };
}

/** The schedule that made it rests until somebody lets it go on: it is not lost. */
async function denyJob(
  query: Query,
  row: JobRow,
  { why, now }: { readonly why: string; readonly now: number },
): Promise<readonly string[]> {
  const adviceTo = (goOn: string) => `${why} Give back what it needs and ${goOn} it, or let somebody who may make it anew.`;
  if (row.schedule !== null) await pauseForGood(query, { tenant: row.tenant, schedule: row.schedule, reason: adviceTo("resume") });
  return endJob(query, row, {
    state: "denied",
    reason: adviceTo("redrive"),
    at: now,
    ...(row.state === "running" && { attempt: row.attempts }),
  });
}

async function takeOver(query: Query, row: JobRow, beginning: Beginning): Promise<Begun> {
  const { now } = beginning;
  const recorded = await readRecorded(query, row);
  if (recorded?.result === null) return { isUnderWay: true, changed: [] };
  if (recorded?.result) return { changed: await settleRecorded(query, row, { result: recorded.result, now }) };
  const ending = whyNotAgain(row);
  if (ending) return { changed: await endJob(query, row, { ...ending, at: now, attempt: row.attempts }) };
  const left = { ...row, failures: row.failures + 1 };
  if (await isSuspended(query, row.tenant)) return { changed: await putBack(query, left) };
  const standing = await findStanding(query, { ...row.principal, tenant: row.tenant }, beginning);
  if ("gone" in standing) return { changed: await denyJob(query, row, { why: standing.gone, now }) };
  const start = await startJob(query, { row: left, standing }, beginning);
  return { start: { ...start, ...(row.worker !== null && { takenFrom: row.worker }) }, changed: [row.job] };
}

async function isSuspended(query: Query, tenant: string): Promise<boolean> {
  const row = await query
    .selectFrom("toolwright.tenants")
    .select("tenant")
    .where("tenant", "=", tenant)
    .where("suspended_at", "is not", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** It was handed out before its tenant was suspended; who hands out takes it again when the tenant is resumed. */
async function putBack(query: Query, { tenant, job, failures }: JobRow): Promise<readonly string[]> {
  await query
    .updateTable("toolwright.jobs")
    .set({ state: "queued", failures, ticket: null, ticket_at: null, worker: null, reason: "It waits until its tenant is resumed." })
    .where("tenant", "=", tenant)
    .where("job", "=", job)
    .execute();
  return [job];
}

/** How a job ends whose worker fell silent, or undefined when it runs again. */
export function whyNotAgain(row: JobRow): { readonly state: "cancelled" | "unknown" | "failed"; readonly reason: string } | undefined {
  if (!row.repeatable)
    return {
      state: "unknown",
      reason: "The worker ended in the middle of the call. Whether it had its effect is not known, and it must not run twice.",
    };
  if (row.cancel_reason !== null) return { state: "cancelled", reason: row.cancel_reason };
  const failures = row.failures + 1;
  if (failures >= row.retry.attempts)
    return { state: "failed", reason: `Its worker ended in the middle of it, after ${failures} failed runs in all.` };
  return undefined;
}

async function startJob(query: Query, { row, standing }: Start, { worker, now, isRepeatable }: Beginning): Promise<Start> {
  const started = await query
    .updateTable("toolwright.jobs")
    .set({
      state: "running",
      attempts: row.attempts + 1,
      failures: row.failures,
      repeatable: isRepeatable(row, standing.principal),
      worker,
      progress: null,
      reason: null,
      started_at: new Date(now),
    })
    .where("tenant", "=", row.tenant)
    .where("job", "=", row.job)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row: started, standing };
}
