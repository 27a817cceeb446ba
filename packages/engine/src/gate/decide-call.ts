import type { Decision, Reach } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import type { ParsedCall } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

const nothing: readonly Reach[] = [];

/** What the call will reach, as the tool itself says. */
export function reachesOf({ tool, input }: Pick<ParsedCall, "tool" | "input">): readonly Reach[] {
  return tool.definition.reaches?.(input as never) ?? nothing;
}

/** Decides, purely and at once. */
export function decideCall(parsed: ParsedCall, parts: Pick<GateParts, "machine">): Decision {
  return decideFor(parsed, parsed.call.principal, parts);
}

/** The same, as if somebody were there to be asked. */
export function decideAttended(parsed: ParsedCall, parts: Pick<GateParts, "machine">): Decision {
  return decideFor(parsed, { ...parsed.call.principal, unattended: false }, parts);
}

function decideFor(parsed: ParsedCall, principal: Principal, parts: Pick<GateParts, "machine">): Decision {
  const { policy } = parsed.call;
  return policy.decide(parsed.tool.facts, reachesOf(parsed), parts.machine(policy.sandbox), principal);
}
