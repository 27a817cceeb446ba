import type { Decision, Reach } from "../contract/decision.ts";
import type { ParsedCall } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

const nothing: readonly Reach[] = [];

/** What the call will reach, as the tool itself says. */
export function reachesOf({ tool, input }: Pick<ParsedCall, "tool" | "input">): readonly Reach[] {
  return tool.definition.reaches?.(input as never) ?? nothing;
}

/** Decides, purely and at once. */
export function decideCall(parsed: ParsedCall, parts: Pick<GateParts, "machine">): Decision {
  const { call, tool } = parsed;
  return call.policy.decide(tool.facts, reachesOf(parsed), parts.machine(call.policy.sandbox), call.principal);
}
