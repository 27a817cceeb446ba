import { createRandomIds, type Jobs, type Schedules } from "@toolwright/engine";
import type { Database } from "../database/database.ts";
import { createPostgresJobs } from "./postgres-jobs.ts";
import { createPostgresSchedules } from "./postgres-schedules.ts";
import { startWorker, type Worker, type WorkerOptions } from "./start-worker.ts";

export interface JobStore {
  readonly jobs: Jobs;
  readonly schedules: Schedules;
  /** Resolves when it looks for jobs. */
  startWorker(options: Omit<WorkerOptions, "ids" | "process" | "now">): Promise<Worker>;
}

/** `process` names this process among all that ever use the store. */
export function openJobs(database: Database, process: string): JobStore {
  const ids = createRandomIds();
  const parts = { ids, now: Date.now };
  return {
    jobs: createPostgresJobs(database, parts),
    schedules: createPostgresSchedules(database, parts),
    startWorker: (options) => startWorker(database, { ...options, ids, process }),
  };
}
