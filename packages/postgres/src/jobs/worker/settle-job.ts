import type { CallResult } from "@toolwright/engine";
import { loggedResult } from "@toolwright/engine/operations";
import type { Query } from "../../database/database.ts";
import { storableText } from "../../database/storable-text.ts";
import { endJob, type JobEnding } from "../end-job.ts";
import type { JobRow } from "../job-row.ts";
import { mayRetry, retryDelay } from "./retry.ts";

/** Why a worker ends a call: somebody cancelled the job, the worker stops, or another one has the job by now. */
export type StopReason = "cancelled" | "stopping" | "lost";

export interface Settling {
  readonly result: CallResult;
  /** Why the worker ended the call, if it did. */
  readonly stop: StopReason | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Milliseconds before another look at a call that another process may run. */
const underWayMs = 2_000;

/** Ends a job that another worker left as its call ended. */
export function settleRecorded(query: Query, row: JobRow, { result, now }: Omit<Settling, "stop">): Promise<readonly string[]> {
  return settleJob(query, row, { result: { ...loggedResult(result), replayed: true }, stop: undefined, now });
}

/** The same try runs already, or goes on in another process: it is not over, and does not count as failed. */
function isUnderWay(result: CallResult): boolean {
  return result.status === "failed" && (result.error.code === "idempotency_in_progress" || result.error.code === "call_handed_over");
}

/** Writes what a run came to: an ending, another try later, or back to the other workers. Gives every job whose state changed. */
export async function settleJob(query: Query, row: JobRow, { result, stop, now }: Settling): Promise<readonly string[]> {
  const cancelReason = await readCancelReason(query, row);
  const end = (state: JobEnding["state"], reason: string | undefined) =>
    endJob(query, row, { state, result, reason, at: now, attempt: row.attempts });
  if (result.status === "cancelled") {
    if (stop === "lost") return [];
    // An ending that was kept is that of another worker, and nobody cancelled the job: it was cut short with that one.
    const isCutShort = stop === "stopping" || result.replayed === true;
    if (cancelReason !== null || !isCutShort) return end("cancelled", cancelReason ?? result.reason);
    if (!row.repeatable) return end("unknown", "Its worker was stopped in the middle of the call, which must not run twice.");
    return waitAgain(query, row, { result, runAt: now, failures: row.failures, reason: "Its worker was stopped and handed it back." });
  }
  if (cancelReason === null && isUnderWay(result))
    return waitAgain(query, row, {
      result,
      runAt: now + underWayMs,
      failures: row.failures,
      reason: messageOf(result) ?? "",
      isSameTry: true,
    });
  const failures = row.failures + 1;
  if (cancelReason === null && failures < row.retry.attempts && mayRetry(result, row.repeatable)) {
    const reason = `Run ${failures} of ${row.retry.attempts} failed: ${messageOf(result)}`;
    return waitAgain(query, row, { result, runAt: now + retryDelay(row.retry, failures), failures, reason });
  }
  // Without a person nothing can wait for one; a call that does all the same has not run.
  return end(result.status === "pending" ? "denied" : result.status, messageOf(result));
}

async function readCancelReason(query: Query, { tenant, job }: JobRow): Promise<string | null> {
  const row = await query
    .selectFrom("toolwright.jobs")
    .select("cancel_reason")
    .where("tenant", "=", tenant)
    .where("job", "=", job)
    .forUpdate()
    .executeTakeFirst();
  return row?.cancel_reason ?? null;
}

interface NextRun {
  readonly result: CallResult;
  readonly runAt: number;
  readonly failures: number;
  readonly reason: string;
  /** It keeps its key. */
  readonly isSameTry?: boolean;
}

async function waitAgain(
  query: Query,
  { tenant, job, attempts, try: number }: JobRow,
  { result, runAt, failures, reason, isSameTry = false }: NextRun,
): Promise<readonly string[]> {
  const { numUpdatedRows } = await query
    .updateTable("toolwright.jobs")
    .set({
      state: "queued",
      run_at: new Date(runAt),
      failures,
      try: isSameTry ? number : number + 1,
      result: JSON.stringify(result),
      reason: storableText(reason),
      ticket: null,
      ticket_at: null,
      worker: null,
    })
    .where("tenant", "=", tenant)
    .where("job", "=", job)
    .where("state", "=", "running")
    .where("attempts", "=", attempts)
    .executeTakeFirst();
  return numUpdatedRows > 0n ? [job] : [];
}

function messageOf(result: CallResult): string | undefined {
  switch (result.status) {
    case "failed":
    case "unknown":
      return result.error.message;
    case "denied":
      return result.message ?? result.decision.reason;
    case "pending":
      return `${result.approval.reason} A job has nobody to ask; give a grant when it is made.`;
    default:
      return undefined;
  }
}
