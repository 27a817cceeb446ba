import { ToolwrightError } from "../contract/errors.ts";
import type { Principal } from "../contract/principal.ts";
import type { Clock } from "./clock.ts";
import { definePort } from "./define-port.ts";
import type { Sharer } from "./fair-pool.ts";
import type { Limiter } from "./limiter.ts";

const gigabyte = 1_000_000_000;
const gibibyte = 1024 ** 3;
const dayMs = 24 * 60 * 60 * 1_000;

/** What one person of a tenant may have, or a program without a person, where nobody set another limit (R-SH-2). */
export interface PersonLimits {
  /** Sessions made within 24 hours: with `sessions.create`, and under new names that calls bring. */
  readonly sessionsOfADay: number;
  /** Uploads of documents that were begun and not finished. */
  readonly openUploads: number;
  /** Uploads of documents that wait to be read, those that were begun among them. */
  readonly uploads: number;
  /** Bytes of all their uploads; counted when another one begins. */
  readonly uploadBytes: number;
  /** Jobs that wait or run, without those that schedules made. */
  readonly jobs: number;
  /** Bytes of the artifacts in all their sessions, however many those are. The store of artifacts refuses more as `artifact_quota`. */
  readonly artifactBytes: number;
}

/** The limits that hold without a line of policy. */
export const usualPersonLimits: PersonLimits = {
  sessionsOfADay: 1_000,
  openUploads: 20,
  uploads: 1_000,
  uploadBytes: 2 * gigabyte,
  jobs: 1_000,
  artifactBytes: 5 * gibibyte,
};

/** How much of one of its limits a person has used, as the store counts it that refuses more. */
export interface LimitUse {
  readonly limit: keyof PersonLimits;
  readonly used: number;
  readonly most: number;
}

/** Reads the limits of the person for whom a principal acts. A limit that the store does not hold is left out. */
export interface LimitReader {
  read(principal: Principal): Promise<readonly LimitUse[]>;
}

export const limitsPort = definePort<LimitReader>()("limits", "a reader of limits, such as the one of @toolwright/postgres");

type CountedLimit = Exclude<keyof PersonLimits, "artifactBytes">;

/** What a limit counts, for messages, tables and pages. */
export const limitedThings: Readonly<Record<keyof PersonLimits, string>> = {
  sessionsOfADay: "new sessions a day",
  openUploads: "uploads that are not finished",
  uploads: "documents that wait to be read",
  uploadBytes: "bytes of documents that wait to be read",
  jobs: "jobs that wait or run",
  artifactBytes: "bytes of artifacts",
};

const advice: Readonly<Record<CountedLimit, string>> = {
  sessionsOfADay: "Go on in one that is there, or try again later.",
  openUploads: "Finish them; those that nobody finishes are removed after an hour.",
  uploads: "Wait until some are read, or delete some.",
  uploadBytes: "Wait until some are read, or delete some.",
  jobs: "Cancel some, or wait until they end.",
};

/** The sentence that ends each refusal. */
export const whereLimitsAre = "toolwright usage limits and the page /usage show your limits.";

/** Why a person gets no more of something, and what to do. */
export function limitReached(limit: CountedLimit, most: number, retryAfterMs?: number): ToolwrightError {
  const message = `You have ${most.toLocaleString("en-US")} ${limitedThings[limit]}, as many as one person may have. ${advice[limit]} ${whereLimitsAre}`;
  return new ToolwrightError("limit_reached", message, {
    details: { rule: limit, limit: most, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  });
}

interface CountedSessions {
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly limits?: PersonLimits;
}

const sessionsOf = ({ tenant, person }: Sharer) => ({ tenant, key: `sessions of ${person}` });

/** Counts a session that a person makes. Resolves to what takes it back where none was made. Rejects with `limit_reached`. */
export async function countSession(
  sharer: Sharer,
  { limiter, clock, limits = usualPersonLimits }: CountedSessions,
): Promise<() => void | Promise<void>> {
  const rate = { count: limits.sessionsOfADay, windowMs: dayMs };
  const reserved = await limiter.reserve(sessionsOf(sharer), rate, clock.now());
  if (!reserved.granted) throw limitReached("sessionsOfADay", rate.count, reserved.retryAfterMs);
  return () => reserved.release();
}

/** The sessions that a person made within the last 24 hours. */
export async function readSessionUse(sharer: Sharer, { limiter, clock, limits = usualPersonLimits }: CountedSessions): Promise<LimitUse> {
  const used = await limiter.count(sessionsOf(sharer), dayMs, clock.now());
  return { limit: "sessionsOfADay", used, most: limits.sessionsOfADay };
}
