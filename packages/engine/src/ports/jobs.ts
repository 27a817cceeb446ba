import type { CallResult } from "../contract/call.ts";
import type { Json } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";
import { definePort } from "./define-port.ts";

/**
 * `blocked` waits for its parents, `queued` for its time and a worker. The other endings are those of a call; `unknown` also when a worker
 * died in the middle of a tool that must not run twice; `skipped` when a parent did not end well.
 */
export const jobStates = ["blocked", "queued", "running", "done", "failed", "denied", "cancelled", "unknown", "skipped"] as const;
export type JobState = (typeof jobStates)[number];

export interface JobRetry {
  /** Runs at most, the first among them; 1 to 20, default 3. Only failures that may pass are tried again, and only where that is harmless. */
  readonly attempts: number;
  /** Milliseconds before the second run; doubled for each one after, with jitter. Default 1 000. */
  readonly delayMs: number;
  /** Milliseconds between two runs at most. Default 300 000. */
  readonly mostDelayMs: number;
}

/** A call that somebody wants done without waiting for it. */
export interface JobRequest {
  readonly tool: string;
  /** With lengths in place of sensitive members. */
  readonly input: Json;
  /** The input with its sensitive members, encrypted by the engine, which opens it when the call is made with it as `sealedInput`. */
  readonly sealed?: string;
  /** Keyed digest of the input with its sensitive members: another one is another request. */
  readonly inputDigest?: string;
  /** Default: one of its own, named like the job. */
  readonly session?: string;
  /** The same key of the same actor gives the same job. */
  readonly idempotencyKey?: string;
  /** Milliseconds since the epoch. Default: at once. */
  readonly runAt?: number;
  readonly retry?: Partial<JobRetry>;
  /** Jobs of the tenant that must be done before it. */
  readonly dependsOn?: readonly string[];
}

export interface JobProgress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** Times in milliseconds since the epoch. */
export interface JobRecord {
  readonly id: string;
  readonly principal: Principal;
  readonly session: string;
  readonly tool: string;
  readonly input: Json;
  readonly state: JobState;
  /** The schedule that made it. */
  readonly schedule?: string;
  readonly retry: JobRetry;
  readonly dependsOn: readonly string[];
  /** How often it was started. */
  readonly attempts: number;
  readonly runAt: number;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly progress?: JobProgress;
  /** Result of the last run that ended. */
  readonly result?: CallResult;
  /** Why it is in this state, for people. */
  readonly reason?: string;
  /** Somebody asked to end it; the running call has not ended yet. */
  readonly isCancelling?: boolean;
}

export interface JobFilter {
  readonly states?: readonly JobState[];
  readonly tool?: string;
  readonly schedule?: string;
  /** Default 100, at most 1000. */
  readonly limit?: number;
}

/** *Contract:* jobs of another tenant, and of another actor without the permission `jobs:manage`, are like missing ones: `job_not_found`. */
export interface Jobs {
  /**
   * Each run goes through the gate with nobody to ask, and with those of the principal's rights of now that are left when it runs: when
   * nobody is left it ends as `denied`, and a schedule that made it is paused. Rejects with `job_refused`, `job_not_found`.
   */
  enqueue(principal: Principal, request: JobRequest): Promise<JobRecord>;
  get(principal: Principal, id: string): Promise<JobRecord>;
  /** Newest first. */
  list(principal: Principal, filter?: JobFilter): Promise<readonly JobRecord[]>;
  /** Ends it at once, or asks the running call to end, in whichever process. One that has ended stays as it is. */
  cancel(principal: Principal, id: string, reason?: string): Promise<JobRecord>;
  /**
   * Gives a job that did not end well another try, and those that were skipped for it. Where it may have had its effect already, only
   * with `mayRepeat`. Rejects with `job_refused`.
   */
  redrive(principal: Principal, id: string, options?: { readonly mayRepeat?: boolean }): Promise<JobRecord>;
  /** Takes one that has ended off the list, as a dead letter that is dealt with. Rejects with `job_refused` while it waits or runs. */
  remove(principal: Principal, id: string): Promise<void>;
  /** Calls back when a job of the tenant changed; without an id, when some may have. Returns how to stop. */
  follow(tenant: string, listener: (id: string | undefined) => void): () => void;
}

export const jobsPort = definePort<Jobs>()("jobs", "a store of jobs, such as the one of @toolwright/postgres");

/** What happens to runs whose time passed while no worker was there: none of them, the last one, or all up to `most`, the newest. */
export type MissedRuns = { readonly rule: "skip" | "once" } | { readonly rule: "all"; readonly most: number };

export interface ScheduleRequest extends Pick<JobRequest, "tool" | "input" | "sealed" | "inputDigest" | "session" | "retry"> {
  /** Unique for the actor. */
  readonly name: string;
  /** A cron line of five fields, or the one time (milliseconds since the epoch). */
  readonly when: { readonly cron: string; readonly zone?: string } | { readonly at: number };
  /** Default `once`. */
  readonly missed?: MissedRuns;
}

/** Times in milliseconds since the epoch. */
export interface ScheduleRecord {
  readonly id: string;
  readonly name: string;
  readonly principal: Principal;
  readonly tool: string;
  readonly input: Json;
  readonly session?: string;
  readonly retry: JobRetry;
  readonly cron?: string;
  readonly zone: string;
  readonly missed: MissedRuns;
  readonly isPaused: boolean;
  /** Why it rests, where nobody paused it: whoever made it may not run it any more. */
  readonly pauseReason?: string;
  /** Why it makes no runs for now, though nobody paused it; it goes on by itself when that has passed. */
  readonly waitReason?: string;
  /** Absent when it is over. */
  readonly nextAt?: number;
  readonly lastAt?: number;
  /** Runs that the rule for missed ones left out. */
  readonly leftOut: number;
  readonly createdAt: number;
}

/** *Contract:* as for jobs; each time gives exactly one job, with any number of workers. */
export interface Schedules {
  /** Rejects with `job_refused`. */
  add(principal: Principal, request: ScheduleRequest): Promise<ScheduleRecord>;
  /** By name. */
  list(principal: Principal): Promise<readonly ScheduleRecord[]>;
  /** By id or name. Jobs that it made stay. */
  remove(principal: Principal, id: string): Promise<void>;
  /** Times that pass while it is paused are not missed ones. */
  pause(principal: Principal, id: string, paused: boolean): Promise<ScheduleRecord>;
}

export const schedulesPort = definePort<Schedules>()("schedules", "a store of schedules, such as the one of @toolwright/postgres");
