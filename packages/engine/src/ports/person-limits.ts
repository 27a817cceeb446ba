import { ToolwrightError } from "../contract/errors.ts";
import type { Clock } from "./clock.ts";
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
  /** Bytes of the artifacts in all their sessions. The store of artifacts refuses more as `artifact_quota`. */
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

type CountedLimit = Exclude<keyof PersonLimits, "artifactBytes">;

const words: Readonly<Record<CountedLimit, readonly [what: string, advice: string]>> = {
  sessionsOfADay: ["new sessions a day", "Go on in one that is there, or try again later."],
  openUploads: ["uploads that are not finished", "Finish them; those that nobody finishes are removed after an hour."],
  uploads: ["documents that wait to be read", "Wait until some are read, or delete some."],
  uploadBytes: ["bytes of documents that wait to be read", "Wait until some are read, or delete some."],
  jobs: ["jobs that wait or run", "Cancel some, or wait until they end."],
};

/** Why a person gets no more of something, and what to do. */
export function limitReached(limit: CountedLimit, most: number, retryAfterMs?: number): ToolwrightError {
  const [what, advice] = words[limit];
  const message = `You have ${most.toLocaleString("en-US")} ${what}, as many as one person may have. ${advice}`;
  return new ToolwrightError("limit_reached", message, {
    details: { rule: limit, limit: most, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  });
}

/** Counts a session that a person makes. Resolves to what takes it back where none was made. Rejects with `limit_reached`. */
export async function countSession(
  { tenant, person }: Sharer,
  { limiter, clock, limits = usualPersonLimits }: { readonly limiter: Limiter; readonly clock: Clock; readonly limits?: PersonLimits },
): Promise<() => void | Promise<void>> {
  const rate = { count: limits.sessionsOfADay, windowMs: dayMs };
  const reserved = await limiter.reserve({ tenant, key: `sessions of ${person}` }, rate, clock.now());
  if (!reserved.granted) throw limitReached("sessionsOfADay", rate.count, reserved.retryAfterMs);
  return () => reserved.release();
}
