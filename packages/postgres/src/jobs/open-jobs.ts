import { createRandomIds, type Jobs, type Schedules } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { createPostgresJobs } from "./postgres-jobs.ts";
import { createPostgresSchedules } from "./schedules/postgres-schedules.ts";
import { startWorker, type Worker, type WorkerOptions } from "./worker/start-worker.ts";

export interface JobStore {
  readonly jobs: Jobs;
  readonly schedules: Schedules;
  /** Resolves when it looks for jobs. */
  startWorker(options: Omit<WorkerOptions, "ids" | "process" | "now">): Promise<Worker>;
}

/** `process` names this process among all that ever use the store; `now` is the time by which all of them decide what is due. */
export function openJobs(database: Database, process: string, now: () => number = Date.now): JobStore {
  const ids = createRandomIds();
  const parts = { ids, now };
  return {
    jobs: createPostgresJobs(database, parts),
    schedules: createPostgresSchedules(database, parts),
    startWorker: (options) => startWorker(database, { ...options, ids, process, now }),
  };
}
