import { type Define, withCommon } from "../define.ts";

/** The command that runs calls that were made for later. */
export function defineJobs(define: Define): void {
  withCommon(
    define("worker", "Run jobs and schedules; any number of workers can share a store", async () => (await import("./worker.ts")).worker),
  )
    .option("--concurrency <count>", "jobs at once (default: 8)")
    .option("--per-tenant <count>", "jobs of one tenant at once, over all workers (default: 4)")
    .option("--grace <seconds>", "time for running jobs to end after a signal (default: 10)");
}
