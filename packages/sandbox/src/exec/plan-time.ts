import type { Anomaly } from "@toolwright/engine";
import type { CommandSpec, Patience } from "@toolwright/engine/ports";

/** Milliseconds that a command may take. */
export interface TimeLimits {
  /** While its call waits, as the policy says. */
  readonly policyMs: number;
  /** In the background. */
  readonly backgroundMs: number;
}

export interface TimePlan {
  /** When it is killed. */
  readonly timeoutMs: number;
  /** When it goes on in the background, and when it is killed where there is no room for it; undefined when its call waits for its end. */
  readonly handOver?: { readonly afterMs: number; readonly elseMs: number };
}

/** How long a command runs, and how long its call waits for it. */
export function planTime(
  { timeoutMs: asked }: CommandSpec,
  patience: Patience | undefined,
  { policyMs, backgroundMs }: TimeLimits,
): TimePlan {
  const waited = Math.min(asked ?? policyMs, policyMs);
  if (!patience || waited <= patience.ms) return { timeoutMs: waited };
  if (patience.renewable && asked !== undefined && asked <= policyMs) return { timeoutMs: asked };
  return { timeoutMs: Math.min(asked ?? backgroundMs, backgroundMs), handOver: { afterMs: patience.ms, elseMs: waited } };
}

/** What to say when a command got less time than it was to have. */
export function sayCut(askedMs: number | undefined, gotMs: number, whose: string): readonly Anomaly[] {
  if (askedMs === undefined || askedMs <= gotMs) return [];
  const message = `The timeout of ${askedMs / 1000} s was cut to ${gotMs / 1000} s, the most that ${whose}.`;
  return [{ kind: "time_limit", message }];
}
