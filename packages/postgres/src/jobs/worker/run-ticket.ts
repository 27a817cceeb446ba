import type { CallResult, Engine, Logger, Principal } from "@toolwright/engine";
import { askedPermissions } from "@toolwright/engine/catalogue";
import { loggedResult } from "@toolwright/engine/operations";
import { type Clock, type JobProgress, pause } from "@toolwright/engine/ports";
import type { Database } from "../../database/database.ts";
import { isOutage } from "../../database/store-failure.ts";
import type { JobRow } from "../job-row.ts";
import { announceChanges, jobsTopic } from "../postgres-jobs.ts";
import { beginJob, type Start } from "./begin-job.ts";
import type { StandingOptions } from "./find-standing.ts";
import type { Ticket } from "./open-queue.ts";
import { callKeyOf } from "./recorded-call.ts";
import { type StopReason, settleJob } from "./settle-job.ts";
import { tellOutcome } from "./tell-outcome.ts";

interface RunParts extends Pick<StandingOptions, "isOperator"> {
  readonly database: Database;
  readonly engine: Engine;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Name of this process, as others read it. */
  readonly worker: string;
}

/** Milliseconds between two looks at a call that another worker began. */
const underWayMs = 500;
/** Milliseconds between two notes of a call's progress. */
const progressMs = 500;
/** Milliseconds for the database to come back before a result is given up, and between two tries. */
const patienceMs = 60_000;
const betweenTriesMs = 500;

/**
 * Runs the job of a ticket from beginning to end, if there is still something to run. Rejects when the database stays away, and when it is
 * stopped while it waits for a call that another worker began. The signal is aborted with a `StopReason`.
 */
export async function runTicket(ticket: Ticket, parts: RunParts, signal: AbortSignal): Promise<void> {
  const { database, clock } = parts;
  const start = await takeUp(ticket, parts, signal);
  if (!start) return;
  const { row, standing } = start;
  const result = loggedResult(explainLoss(await callTool(row, standing.principal, { parts, signal }), standing.lost));
  const stop = signal.aborted ? (signal.reason as StopReason) : undefined;
  const settle = () => database.asTenant(row.tenant, (query) => settleJob(query, row, { result, stop, now: clock.now() }));
  const changed = await untilWritten(settle, clock);
  announceChanges(database, row.tenant, changed);
  await tellOutcome(parts, row.tenant, changed);
}

/**
 * Begins the job of a ticket. Waits while a call that another worker began has not ended: either that worker is only slow, and ends it, or
 * it is found to be gone, and the key of the call is settled.
 */
async function takeUp(ticket: Ticket, parts: RunParts, signal: AbortSignal): Promise<Start | undefined> {
  const { database, clock, worker, isOperator, logger } = parts;
  const isRepeatable = (row: JobRow, principal: Principal) => scopeOf(row, principal, parts).find(row.tool)?.hints.idempotentHint === true;
  for (;;) {
    const begun = await database.asSystem((query) => beginJob(query, ticket, { worker, now: clock.now(), isOperator, isRepeatable }));
    announceChanges(database, ticket.tenant, begun.changed);
    if (begun.start?.takenFrom)
      logger.log(
        "warn",
        `The job ${ticket.job} (${begun.start.row.tool}) was taken over from ${begun.start.takenFrom}, which fell silent.`,
        {
          ...{ tenant: ticket.tenant, job: ticket.job, attempts: begun.start.row.attempts },
        },
      );
    else if (!begun.start) await tellOutcome(parts, ticket.tenant, begun.changed);
    if (!begun.isUnderWay) return begun.start;
    await pause(underWayMs, clock, signal);
    signal.throwIfAborted();
  }
}

interface CallParts {
  readonly parts: RunParts;
  readonly signal: AbortSignal;
}

async function callTool(row: JobRow, principal: Principal, { parts, signal }: CallParts): Promise<CallResult> {
  const progress = noteProgress(row, parts);
  try {
    return await scopeOf(row, principal, parts).invokeNamed(row.tool, row.input, {
      signal,
      ...(row.sealed !== null && { sealedInput: row.sealed }),
      idempotencyKey: callKeyOf(row),
      onProgress: ({ done, total, message }) =>
        progress.note({ done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }),
    });
  } finally {
    await progress.settle();
  }
}

/** What is left of the rights of whoever made the job, and nobody to ask. */
function scopeOf({ session, schedule }: JobRow, principal: Principal, { engine, isOperator }: RunParts) {
  const { permissions } = principal;
  const unattended: Principal = {
    ...principal,
    // What is stored says nothing of tools that ask for something since.
    permissions: isOperator(principal) ? [...permissions, ...askedPermissions(engine)] : permissions,
    interactive: false,
    unattended: true,
    source: schedule === null ? "api" : "schedule",
    ...(schedule !== null && { runtime: "schedule" as const }),
  };
  return engine.scope(unattended, { session });
}

/** A tool that is not seen any more looks as if it had never been: whoever made the job may know why. */
function explainLoss(result: CallResult, lost: readonly string[]): CallResult {
  if (lost.length === 0 || result.status !== "failed" || result.error.code !== "tool_not_found") return result;
  const message = `${result.error.message} Whoever made the job has since lost ${lost.join(", ")}.`;
  return { ...result, error: { ...result.error, message } };
}

/** Writes the last progress every so often; one that cannot be written is left out. */
function noteProgress({ tenant, job, attempts }: JobRow, { database, logger, clock }: RunParts) {
  let writing: Promise<void> | undefined;
  let last = 0;
  const write = async (progress: JobProgress) => {
    try {
      await database.asTenant(tenant, (query) =>
        query
          .updateTable("toolwright.jobs")
          .set({ progress: JSON.stringify(progress) })
          .where("tenant", "=", tenant)
          .where("job", "=", job)
          .where("attempts", "=", attempts)
          .execute(),
      );
      database.announce({ topic: jobsTopic, tenant, id: job });
    } catch (error) {
      logger.log("debug", `The progress of ${job} could not be written.`, { error: String(error) });
    }
    writing = undefined;
  };
  return {
    note(progress: JobProgress) {
      if (writing || clock.now() - last < progressMs) return;
      last = clock.now();
      writing = write(progress);
    },
    settle: async () => writing,
  };
}

/** The call has run: its result is not given up for a database that is away for a moment. */
async function untilWritten<Result>(write: () => Promise<Result>, clock: Clock): Promise<Result> {
  for (const deadline = clock.monotonic() + patienceMs; ; ) {
    try {
      return await write();
    } catch (error) {
      if (!isOutage(error) || clock.monotonic() > deadline) throw error;
      await pause(betweenTriesMs, clock);
    }
  }
}
