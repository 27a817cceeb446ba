import type { Logger } from "@toolwright/engine";
import type { Database, Query } from "../../database/database.ts";
import { endJob } from "../end-job.ts";
import type { JobRow } from "../job-row.ts";
import { announceChanges } from "../postgres-jobs.ts";
import { whyNotAgain } from "./begin-job.ts";
import type { Queue } from "./open-queue.ts";
import { readRecorded } from "./recorded-call.ts";
import { settleRecorded } from "./settle-job.ts";
import { tellOutcome } from "./tell-outcome.ts";

/** Milliseconds after which a ticket must be in the queue. */
const settledMs = 30_000;
const mostAtOnce = 500;

interface Recovering {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly logger: Logger;
}

/** Finds jobs whose ticket is gone, as after a backup was restored, and sends them on: nothing waits for a queue that has forgotten it. */
export async function recoverJobs(database: Database, queue: Queue, { now, logger }: Recovering): Promise<number> {
  const out = await database.asSystem((query) =>
    query
      .selectFrom("toolwright.jobs")
      .select(["tenant", "job", "ticket"])
      .where("ticket", "is not", null)
      .where("ticket_at", "<", new Date(now - settledMs))
      .limit(mostAtOnce)
      .execute(),
  );
  if (out.length === 0) return 0;
  const alive = await queue.alive(out.map(({ ticket }) => ticket ?? ""));
  const lost = out.filter(({ ticket }) => !alive.has(ticket ?? ""));
  for (const { tenant, job, ticket } of lost) {
    const changed = await database.asTenant(tenant, async (query) => {
      const row = await query
        .selectFrom("toolwright.jobs")
        .selectAll()
        .where("tenant", "=", tenant)
        .where("job", "=", job)
        .where("ticket", "=", ticket)
        .forUpdate()
        .executeTakeFirst();
      return row ? recoverJob(query, row, now) : [];
    });
    announceChanges(database, tenant, changed);
    await tellOutcome({ database, logger }, tenant, changed);
  }
  return lost.length;
}

async function recoverJob(query: Query, row: JobRow, now: number): Promise<readonly string[]> {
  const recorded = row.state === "running" ? await readRecorded(query, row) : undefined;
  // Its worker is only slow, or found to be gone before the next look.
  if (recorded?.result === null) return [];
  if (recorded?.result) return settleRecorded(query, row, { result: recorded.result, now });
  const ending = row.state === "running" ? whyNotAgain(row) : undefined;
  if (ending) return endJob(query, row, { ...ending, at: now, attempt: row.attempts });
  await query
    .updateTable("toolwright.jobs")
    .set({
      state: "queued",
      ticket: null,
      ticket_at: null,
      worker: null,
      ...(row.state === "running" && { failures: row.failures + 1 }),
      reason: "The queue had lost it.",
    })
    .where("tenant", "=", row.tenant)
    .where("job", "=", row.job)
    .execute();
  return [row.job];
}
