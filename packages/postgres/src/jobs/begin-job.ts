import type { Query } from "../database/database.ts";
import { endJob } from "./end-job.ts";
import type { JobRow } from "./job-row.ts";
import type { Ticket } from "./open-queue.ts";

export interface Beginning {
  /** The one that runs it. */
  readonly worker: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the tool does no harm when it runs twice. */
  readonly isRepeatable: (row: JobRow) => boolean;
}

export interface Begun {
  /** As it is now; undefined when there is nothing to run. */
  readonly row?: JobRow;
  /** Jobs whose state changed. */
  readonly changed: readonly string[];
}

/**
 * Takes up the job of a ticket. One that runs already was left by a worker that fell silent: it runs again where that is harmless, and
 * otherwise ends as `unknown`.
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
  return { row: await start(query, row, beginning), changed: [job] };
}

async function takeOver(query: Query, row: JobRow, beginning: Beginning): Promise<Begun> {
  const ending = whyNotAgain(row);
  if (!ending) return { row: await start(query, { ...row, failures: row.failures + 1 }, beginning), changed: [row.job] };
  return { changed: await endJob(query, row, { ...ending, at: beginning.now, attempt: row.attempts }) };
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

function start(query: Query, row: JobRow, { worker, now, isRepeatable }: Beginning): Promise<JobRow> {
  return query
    .updateTable("toolwright.jobs")
    .set({
      state: "running",
      attempts: row.attempts + 1,
      failures: row.failures,
      repeatable: isRepeatable(row),
      worker,
      progress: null,
      reason: null,
      started_at: new Date(now),
    })
    .where("tenant", "=", row.tenant)
    .where("job", "=", row.job)
    .returningAll()
    .executeTakeFirstOrThrow();
}
