import type { Logger } from "@toolwright/engine";
import type { Database } from "../../database/database.ts";

interface OutcomeParts {
  readonly database: Database;
  readonly logger: Logger;
}

/** Logs what became of jobs that are not simply done: what failed, is tried again, or ended in the place of another worker. */
export async function tellOutcome({ database, logger }: OutcomeParts, tenant: string, jobs: readonly string[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = await database.asTenant(tenant, (query) =>
    query
      .selectFrom("toolwright.jobs")
      .select(["job", "tool", "state", "reason", "attempts", "run_at"])
      .where("tenant", "=", tenant)
      .where("job", "in", jobs)
      .where("state", "not in", ["running", "done"])
      .orderBy("job")
      .execute(),
  );
  for (const { job, tool, state, reason, attempts, run_at } of rows) {
    const what = state === "queued" ? `runs again from ${run_at.toISOString()} on` : `ended as ${state}`;
    logger.log(state === "cancelled" ? "info" : "warn", `The job ${job} (${tool}) ${what}: ${reason ?? "no reason was given"}`, {
      ...{ tenant, job, tool, state, attempts },
    });
  }
}
