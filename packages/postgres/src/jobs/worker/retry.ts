import type { CallResult, ErrorCode } from "@toolwright/engine";
import type { JobRetry } from "@toolwright/engine/ports";

/** The call did not run: whatever the tool is, it can be tried again. */
const didNotRun: ReadonlySet<ErrorCode> = new Set(["rate_limited", "record_failed", "idempotency_in_progress"]);
/** The call ran, and what stopped it may pass. What a tool says of itself is an answer and is not among them. */
const mayPass: ReadonlySet<ErrorCode> = new Set([
  "timeout",
  "idle_timeout",
  "busy",
  "connection_failed",
  "name_not_resolved",
  "spawn_failed",
  "disk_full",
  "store_unreachable",
  "tool_error",
]);

/** True when running the call once more can help and cannot harm. */
export function mayRetry(result: CallResult, repeatable: boolean): boolean {
  if (result.status !== "failed") return false;
  return didNotRun.has(result.error.code) || (repeatable && mayPass.has(result.error.code));
}

/** Milliseconds before the next run: doubled for each failure, and between half and all of it, so that what failed together does not return together. */
export function retryDelay({ delayMs, mostDelayMs }: JobRetry, failures: number, random: () => number = Math.random): number {
  const whole = Math.min(delayMs * 2 ** (failures - 1), mostDelayMs);
  return Math.round(whole / 2 + (whole / 2) * random());
}
