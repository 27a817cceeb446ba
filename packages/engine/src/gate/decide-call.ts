import type { Decision, Reach } from "../contract/decision.ts";
import { strictest } from "../contract/decision.ts";
import type { ParsedCall } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

const nothing: readonly Reach[] = [];

/** What the call will reach, as the tool itself says. */
export function reachesOf({ tool, input }: Pick<ParsedCall, "tool" | "input">): readonly Reach[] {
  return tool.definition.reaches?.(input as never) ?? nothing;
}

/** Decides, purely and at once. A run without a person meets `ask` with a denial that says why. */
export function decideCall(parsed: ParsedCall, parts: Pick<GateParts, "machine">): Decision {
  const { call, tool } = parsed;
  const decision = call.policy.decide(tool.facts, reachesOf(parsed), parts.machine(), call.principal);
  if (decision.effect !== "ask" || !call.principal.unattended) return decision;
  const refusal = {
    ...decision,
    effect: "deny" as const,
    rule: "default.unattended",
    reason: `${decision.reason} Nobody is there to be asked in this run, so it is denied.`,
    remedy: decision.remedy ?? "Allow it in the policy, or give a grant when the run is set up.",
  };
  return strictest([refusal, ...decision.findings], decision.revision);
}
