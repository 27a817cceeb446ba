import type { CallResult, Engine, JobProgress, Logger, Principal } from "@toolwright/engine";
import type { Database } from "../database/database.ts";
import { isPassing } from "../database/store-failure.ts";
import { type Begun, beginJob } from "./begin-job.ts";
import type { JobRow } from "./job-row.ts";
import type { Ticket } from "./open-queue.ts";
import { announceChanges, jobsTopic } from "./postgres-jobs.ts";
import { type StopReason, settleJob } from "./settle-job.ts";

export interface RunParts {
  readonly database: Database;
  readonly engine: Engine;
  readonly logger: Logger;
  readonly now: () => number;
  /** Of this process, as others read it. */
  readonly worker: string;
}

/** Milliseconds between two notes of a call's progress. */
const progressMs = 500;
/** Milliseconds for the database to come back before a result is given up, and between two tries. */
const patienceMs = 60_000;
const betweenTriesMs = 500;

/**
 * Runs the job of a ticket from beginning to end, if there is still something to run. Rejects when the database stays away. The signal is
 * aborted with a `StopReason`.
 */
export async function runTicket(ticket: Ticket, parts: RunParts, signal: AbortSignal): Promise<void> {
  const { database, now, worker } = parts;
  const isRepeatable = (row: JobRow) => scopeOf(row, parts).find(row.tool)?.hints.idempotentHint === true;
  const begun: Begun = await database.asTenant(ticket.tenant, (query) => beginJob(query, ticket, { worker, now: now(), isRepeatable }));
  announceChanges(database, ticket.tenant, begun.changed);
  const { row } = begun;
  if (!row) return;
  const result = await callTool(row, parts, signal);
  const stop = signal.aborted ? (signal.reason as StopReason) : undefined;
  const changed = await untilWritten(() => database.asTenant(row.tenant, (query) => settleJob(query, row, { result, stop, now: now() })));
  announceChanges(database, row.tenant, changed);
}

async function callTool(row: JobRow, parts: RunParts, signal: AbortSignal): Promise<CallResult> {
  const progress = noteProgress(row, parts);
  try {
    return await scopeOf(row, parts).invoke(row.tool, row.input, {
      signal,
      onProgress: ({ done, total, message }) =>
        progress.note({ done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }),
    });
  } finally {
    await progress.settle();
  }
}

/** The rights of whoever made the job, and nobody to ask. */
function scopeOf({ tenant, principal, session, schedule }: JobRow, { engine }: RunParts) {
  const unattended: Principal = {
    ...principal,
    tenant,
    interactive: false,
    unattended: true,
    source: schedule === null ? "api" : "schedule",
    ...(schedule !== null && { runtime: "schedule" as const }),
  };
  return engine.scope(unattended, { session });
}

/** Writes the last progress every so often; one that cannot be written is left out. */
function noteProgress({ tenant, job, attempts }: JobRow, { database, logger, now }: RunParts) {
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
      if (writing || now() - last < progressMs) return;
      last = now();
      writing = write(progress);
    },
    settle: async () => writing,
  };
}

/** The call has run: its result is not given up for a database that is away for a moment. */
async function untilWritten<Result>(write: () => Promise<Result>): Promise<Result> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    try {
      return await write();
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      if (!isPassing(cause) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
    }
  }
}
