import { type Decision, demandApprovals, denyUnattended, type Finding, type Reach, strictest } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import type { CapabilityName, CapabilityProvider, Caution } from "../ports/capability.ts";
import type { Call, ParsedCall } from "./call.ts";
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

const unknown: Caution = {
  rule: "default.caution.unknown",
  reason: "What this machine holds against the call could not be found out, so a person has to look at it.",
  subject: "unknown",
  remedy: "Approve this call, or make it again.",
};

/**
 * Tightens a decision by what only the machine can say of a reach. At once for a call about which no capability has anything to say.
 * @param attended - judges as if somebody were there to be asked.
 */
export function heedCautions(
  parsed: ParsedCall,
  decision: Decision,
  parts: Pick<GateParts, "capabilities">,
  attended = false,
): Decision | Promise<Decision> {
  if (decision.effect === "deny") return decision;
  const { call, tool } = parsed;
  const cautious = tool.capabilities.map((name) => findProvider(name, call, parts)).filter((provider) => provider?.caution !== undefined);
  const reaches = cautious.length === 0 ? [] : reachesOf(parsed);
  if (reaches.length === 0) return decision;
  const asked = reaches.flatMap((reach) => cautious.map((provider) => provider?.caution?.(reach, call).catch(() => [unknown]) ?? []));
  return Promise.all(asked).then((answers) => {
    const cautions = answers.flat();
    if (cautions.length === 0) return decision;
    const findings = cautions.map((caution): Finding => ({ ...caution, effect: "ask", layer: "resource", risk: "high", grantable: false }));
    const asking = strictest([...findings, ...decision.findings], decision.revision);
    const unattended = call.principal.unattended === true && !attended;
    return unattended ? denyUnattended(asking) : demandApprovals(asking, call.policy.approvalsFor(tool.facts));
  });
}

/** The door's own provider for this call, else the engine's. */
export function findProvider(name: CapabilityName, call: Call, parts: Pick<GateParts, "capabilities">): CapabilityProvider | undefined {
  return call.options.capabilities?.find((candidate) => candidate.name === name) ?? parts.capabilities.get(name);
}
