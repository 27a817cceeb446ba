import type { Json } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import { findNonJson, type JobRetry } from "@toolwright/engine/ports";

export function refuseJob(message: string): ToolwrightError {
  return new ToolwrightError("job_refused", message);
}

export function noSuchJob(id: string): ToolwrightError {
  return new ToolwrightError("job_not_found", `There is no job or schedule ${JSON.stringify(id)} here.`);
}

const longest = { tool: 64, session: 200, name: 100, idempotencyKey: 255 } as const;

/** Throws for texts that are empty, too long, or that PostgreSQL cannot store. */
export function checkText(what: keyof typeof longest, text: string | undefined): void {
  if (text === undefined) return;
  if (text.length === 0 || text.length > longest[what] || text.includes("\0"))
    throw refuseJob(`A job's ${what} has 1 to ${longest[what]} characters, none of them NUL; this one has ${text.length}.`);
}

/** What the keys of schedules begin with. */
export const scheduleKeys = "toolwright schedule ";

/** Throws for a key that a caller cannot have: one of a schedule's, taken before the schedule does, would keep its job from being made. */
export function checkKey(key: string | undefined): void {
  checkText("idempotencyKey", key);
  if (key?.startsWith(scheduleKeys))
    throw refuseJob(`An idempotency key that begins with ${JSON.stringify(scheduleKeys)} is a schedule's. Use another.`);
}

export function checkInput(input: Json): void {
  const found = findNonJson(input);
  if (found) throw refuseJob(`The input of a job must be JSON: at ${found.path}, ${found.problem}.`);
}

/** Times that JavaScript and PostgreSQL both hold. */
export function checkTime(at: number): void {
  if (!Number.isFinite(at) || at < 0 || at > Date.UTC(9999, 0))
    throw refuseJob("A time is in milliseconds since the epoch, before the year 9999.");
}

const defaults: JobRetry = { attempts: 3, delayMs: 1_000, mostDelayMs: 300_000 };

export function readRetry(given: Partial<JobRetry> = {}): JobRetry {
  const retry = { ...defaults, ...given };
  if (!Number.isInteger(retry.attempts) || retry.attempts < 1 || retry.attempts > 20)
    throw refuseJob(`A job is run 1 to 20 times at most; ${retry.attempts} was asked for.`);
  for (const ms of [retry.delayMs, retry.mostDelayMs])
    if (!Number.isFinite(ms) || ms < 0 || ms > 86_400_000) throw refuseJob("The wait between two runs of a job is from 0 to 86400000 ms.");
  return retry;
}
