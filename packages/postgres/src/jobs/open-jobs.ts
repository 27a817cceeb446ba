import type { Principal } from "@toolwright/engine";
import { type Clock, createRandomIds, type Jobs, type Schedules, systemClock } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { createPostgresJobs } from "./postgres-jobs.ts";
import { createPostgresSchedules } from "./schedules/postgres-schedules.ts";
import { findStanding, type Standing, type StandingOptions } from "./worker/find-standing.ts";
import { startWorker, type Worker, type WorkerOptions } from "./worker/start-worker.ts";

export interface JobStore {
  readonly jobs: Jobs;
  readonly schedules: Schedules;
  /** Resolves when it looks for jobs. */
  startWorker(options: Omit<WorkerOptions, "ids" | "process" | "clock">): Promise<Worker>;
  /** A stored principal as it stands now: with no more than what is left of its rights, or why nobody is left. */
  standingOf(principal: Principal, options: Pick<StandingOptions, "isOperator">): Promise<Standing>;
}

/** `process` names this process among all that ever use the store; `clock` says what is due, for all of them alike. */
export function openJobs(database: Database, process: string, clock: Clock = systemClock): JobStore {
  const ids = createRandomIds();
  const parts = { ids, now: clock.now };
  return {
    jobs: createPostgresJobs(database, parts),
    schedules: createPostgresSchedules(database, parts),
    standingOf: (principal, options) => database.asSystem((query) => findStanding(query, principal, { ...options, now: clock.now() })),
    startWorker: (options) => startWorker(database, { ...options, ids, process, clock }),
  };
}
