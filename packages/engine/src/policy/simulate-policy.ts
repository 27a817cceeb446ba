import type { Decision, Effect, Reach } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import type { Policy } from "./policy.ts";
import type { MachineFacts } from "./resource-layer.ts";
import type { ToolFacts } from "./tool-layer.ts";

/** A call that was made, with what is known of it now. */
export interface RecordedCall {
  readonly tool: ToolFacts;
  readonly reaches: readonly Reach[];
  readonly principal: Principal;
}

/** A call that would end differently. */
export interface PolicyFlip<Call extends RecordedCall = RecordedCall> {
  readonly call: Call;
  readonly before: Decision;
  readonly after: Decision;
}

export interface Simulation<Call extends RecordedCall = RecordedCall> {
  readonly calls: number;
  readonly flips: readonly PolicyFlip<Call>[];
  /** How many calls each change of effect concerns, as `allow to deny`. */
  readonly changes: Readonly<Record<string, number>>;
}

/** Decides recorded calls under two policies, and lists those that would go differently. Nothing runs. */
export function simulatePolicy<Call extends RecordedCall>(
  calls: readonly Call[],
  { before, after, machine }: { readonly before: Policy; readonly after: Policy; readonly machine: MachineFacts },
): Simulation<Call> {
  const decide = (policy: Policy, { tool, reaches, principal }: Call) =>
    policy.forPrincipal(principal).decide(tool, reaches, machine, principal);
  const flips = calls
    .map((call) => ({ call, before: decide(before, call), after: decide(after, call) }))
    .filter((each) => each.before.effect !== each.after.effect);
  const changes: Record<string, number> = {};
  for (const flip of flips) {
    const change = `${flip.before.effect satisfies Effect} to ${flip.after.effect}`;
    changes[change] = (changes[change] ?? 0) + 1;
  }
  return { calls: calls.length, flips, changes };
}
