import {
  type Containment,
  type Decision,
  demandApprovals,
  denyUnattended,
  type Finding,
  type Reach,
  strictest,
} from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import type { MachineFacts } from "../policy/resource-layer.ts";
import type { CapabilityName, CapabilityProvider, Caution, Concern, ConcernSite } from "../ports/capability.ts";
import { type Call, type ParsedCall, reachesOf } from "./call.ts";
import { heedForeign } from "./foreign/foreign-content.ts";
import type { GateParts } from "./gate-parts.ts";

/** Decides, purely and at once. */
export function decideCall(parsed: ParsedCall, parts: Pick<GateParts, "machine">): Decision {
  return decideFor(parsed, parsed.call.principal, parts);
}

/** Decides a call as if a person were there to be asked. */
export function decideAttended(parsed: ParsedCall, parts: Pick<GateParts, "machine">): Decision {
  return decideFor(parsed, { ...parsed.call.principal, unattended: false }, parts);
}

function decideFor(parsed: ParsedCall, principal: Principal, parts: Pick<GateParts, "machine">): Decision {
  const { policy } = parsed.call;
  return policy.decide(parsed.tool.facts, reachesOf(parsed), parts.machine(policy.sandbox), principal);
}

/** What `asksOn` of a tool comes to. */
export const askedFor: Finding = {
  effect: "ask",
  layer: "tool",
  rule: "default.asked_for",
  reason: "The call itself asks for an approval.",
  remedy: "Approve this call.",
  grantable: false,
};

const unknown: Caution = {
  rule: "default.caution.unknown",
  reason: "What this machine holds against the call could not be found out, so a person has to look at it.",
  subject: "unknown",
  remedy: "Approve this call, or make it again.",
};

/**
 * Tightens a decision by what only the machine can say of a reach, what a capability has against the call, and what its session has read. At once for
 * a call about which nobody has anything to say.
 * @param attended - judges as if somebody were there to be asked.
 */
export function heedCautions(
  parsed: ParsedCall,
  decision: Decision,
  parts: Pick<GateParts, "capabilities" | "foreign" | "machine">,
  attended = false,
): Decision | Promise<Decision> {
  const heeded = heedAll(parsed, decision, parts, attended);
  const { redactor } = parsed.call;
  // What it names of the input may hold a sensitive member, and everybody who reads of the call reads it.
  if (!redactor.active) return heeded;
  const redact = (made: Decision) => redactor.redactJson(made);
  return heeded instanceof Promise ? heeded.then(redact) : redact(heeded);
}

function heedAll(
  parsed: ParsedCall,
  decision: Decision,
  parts: Pick<GateParts, "capabilities" | "foreign" | "machine">,
  attended: boolean,
): Decision | Promise<Decision> {
  if (decision.effect === "deny") return decision;
  const { call, tool } = parsed;
  const objections = tool.capabilities.flatMap((name) => [
    ...askCapability(name, parsed),
    ...askUncontained(call.provider(name), { parsed, decision, facts: parts.machine(call.policy.sandbox) }),
  ]);
  const foreign = heedForeign(parsed, parts, () => findHosts(parsed));
  if (objections.length === 0 && !foreign && !call.asksFirst) return decision;
  return Promise.all([Promise.all(objections), foreign ?? []]).then(([objected, read]) => {
    const findings = [...objected.flat(), ...(call.asksFirst ? [askedFor] : [])];
    if (findings.length === 0 && read.length === 0) return decision;
    const asking = strictest([...findings, ...decision.findings, ...read], decision.revision);
    const unattended = call.principal.unattended === true && !attended;
    return unattended ? denyUnattended(asking) : demandApprovals(asking, call.policy.approvalsFor(tool.facts));
  });
}

const asks = { effect: "ask", layer: "resource", risk: "high" } as const;

/** What one capability has against the call and what it reaches. */
function askCapability(name: CapabilityName, parsed: ParsedCall): Promise<readonly Finding[]>[] {
  const { call, tool, input } = parsed;
  const provider = call.provider(name);
  if (!provider?.caution && !provider?.concern) return [];
  const cautions = provider.caution ? reachesOf(parsed).flatMap((reach) => provider.caution?.(reach, call) ?? []) : [];
  const concerns = provider.concern?.({ tool: tool.name, input, declared: tool.effects[name] }, siteOf(call));
  return [
    ...cautions.map(async (asked) =>
      (await asked.catch(() => [unknown])).map((caution): Finding => ({ ...caution, ...asks, grantable: false })),
    ),
    ...(concerns ? [concerns.catch((): readonly Concern[] => [unknown]).then((found) => found.map(toFinding))] : []),
  ];
}

interface Relying {
  readonly parsed: ParsedCall;
  readonly decision: Decision;
  readonly facts: MachineFacts;
}

/** What one capability finds where the decision relies on containment that the place of the call does not have. */
function askUncontained(
  provider: CapabilityProvider | undefined,
  { parsed, decision: { reliesOn }, facts }: Relying,
): Promise<readonly Finding[]>[] {
  if (!reliesOn || !provider?.uncontained) return [];
  return reachesOf(parsed).flatMap((reach) => {
    const missing = missingFor(reach, reliesOn, facts);
    if (missing.length === 0) return [];
    const found = provider.uncontained?.(reach, missing, parsed.call) ?? Promise.resolve([]);
    return [
      found.catch(() => [unknown]).then((cautions) => cautions.map((caution): Finding => ({ ...caution, ...asks, grantable: false }))),
    ];
  });
}

/** Our own capability for files holds all of it back from what it opens, whatever commands run in. */
function missingFor({ kind }: Reach, reliesOn: readonly Containment[], { sandbox, elsewhere }: MachineFacts): readonly Containment[] {
  if (elsewhere) return reliesOn;
  const { contains } = sandbox;
  return kind === "command" && contains ? reliesOn.filter((each) => !contains.includes(each)) : [];
}

/** The hosts that the call acts on, as the first capability says that knows them. */
function findHosts(parsed: ParsedCall): readonly string[] | undefined {
  const { call, tool, input } = parsed;
  for (const name of tool.capabilities) {
    const hosts = call.provider(name)?.actsOn?.({ tool: tool.name, input, declared: tool.effects[name] }, siteOf(call));
    if (hosts !== undefined) return hosts;
  }
  return undefined;
}

const siteOf = ({ principal, session, policy: { network, autonomy } }: Call): ConcernSite => ({ principal, session, network, autonomy });

/** An earlier yes stands where the capability says so. */
function toFinding({ grantable, ...concern }: Concern): Finding {
  return { ...asks, ...concern, ...(grantable !== true && { grantable: false as const }) };
}
