import { analyseLine, type CommandFinding, judgeCommands } from "@toolwright/commands";
import {
  type CommandReach,
  type Decision,
  demandApprovals,
  denyUnattended,
  type Finding,
  type Reach,
  strictest,
} from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import { reachesOutside, rulesAfterForeign, strictestRule, type ToolAfterForeign } from "./after-foreign.ts";
import { judgeApprovals } from "./approval-layer.ts";
import { type CompiledTiers, compileTiers } from "./compile-tiers.ts";
import { defaultPolicy } from "./document/policy-document.ts";
import type { Policy, PolicyTier } from "./policy.ts";
import { findForbiddenPath, judgeDestinations, judgePath, judgeRequest, judgeSandbox, type MachineFacts } from "./resource-layer.ts";
import { judgeToolEffects, judgeToolLists, type ToolFacts, weightOf } from "./tool-layer.ts";

export type { Policy, PolicyTier, RateRule, Tier } from "./policy.ts";
export type { MachineFacts } from "./resource-layer.ts";
export type { ToolFacts } from "./tool-layer.ts";

/**
 * Compiles the documents of all tiers. What the highest tier leaves out has the default; a lower tier speaks only of what it
 * names, and the strictest answer over the tiers holds. Throws `policy_invalid` when a rule fails its own tests.
 */
export function compilePolicy(documents: readonly PolicyTier[]): Policy {
  return compileByPrincipal(documents, compileFor);
}

function compileFor(documents: readonly PolicyTier[], { forPrincipal, agents }: Shared): Policy {
  const compiled = compileTiers(documents);
  const known = new WeakMap<ToolFacts, ToolPolicy>();
  const policyFor = (tool: ToolFacts): ToolPolicy => {
    let found = known.get(tool);
    if (!found) {
      found = workOut(tool, compiled);
      known.set(tool, found);
    }
    return found;
  };
  return {
    revision: compiled.revision,
    agents,
    autonomy: compiled.autonomy,
    paths: { forbidden: [...compiled.forbidden.keys()], roots: compiled.roots },
    network: compiled.network,
    sandbox: compiled.sandbox,
    allowing: compiled.commands.flatMap(({ rules }) => [...rules.allow.values()].flat()),
    forPrincipal,
    ratesFor: (tool) => policyFor(tool).rates,
    afterForeign(tool, reaches, { sandbox: { contains } }) {
      const { each, outside } = policyFor(tool).afterForeign;
      const network = contains && !contains.includes("network") ? "host" : compiled.sandbox.network;
      return strictestRule([each, outside && reachesOutside(reaches(), { network, freed: compiled.freed }) ? outside : undefined]);
    },
    approvalsFor: (tool) => policyFor(tool).approvals,
    decideTool: (tool) => demandApprovals(policyFor(tool).decision, policyFor(tool).approvals),
    decide: (tool, reaches, facts, principal) => {
      const toolPolicy = policyFor(tool);
      const decision = decideReaches({ reaches, facts }, toolPolicy, compiled);
      if (decision.effect !== "ask") return decision;
      return principal.unattended ? denyUnattended(decision) : demandApprovals(decision, toolPolicy.approvals);
    },
    judge: (tool, reach, facts) =>
      strictest([...judgeReach(reach, compiled), ...judgeMachine(policyFor(tool), facts, compiled)], compiled.revision),
  };
}

/** What the policy says of a tool whatever the input; worked out once. */
interface ToolPolicy {
  readonly decision: Decision;
  /** For a call that names nothing it reaches. */
  readonly undeclared: readonly Finding[];
  readonly approvals: readonly Finding[];
  readonly afterForeign: ToolAfterForeign;
  readonly rates: ReturnType<Policy["ratesFor"]>;
  readonly startsProcesses: boolean;
}

function workOut(tool: ToolFacts, compiled: CompiledTiers): ToolPolicy {
  const rates = compiled.rates.filter(({ handle }) => countsAgainst(handle, tool));
  return {
    decision: strictest(judgeTool(tool, compiled), compiled.revision),
    undeclared: judgeUndeclared(tool, compiled),
    afterForeign: rulesAfterForeign(tool, compiled.afterForeign),
    approvals: compiled.approvals.flatMap((settings) => judgeApprovals(tool, settings)),
    rates: rates.map(({ key, rate, rule }) => ({ key, rate, rule })),
    startsProcesses: weightOf(tool).starts !== undefined,
  };
}

function countsAgainst(handle: string, tool: ToolFacts): boolean {
  return handle === "act" ? weightOf(tool).changes : handle === tool.name || handle === `group:${tool.group}`;
}

function judgeTool(tool: ToolFacts, { tools, autonomy, autonomyRule }: CompiledTiers): readonly Finding[] {
  return [...tools.flatMap((settings) => judgeToolLists(tool, settings)), ...judgeToolEffects(tool, autonomy, autonomyRule)];
}

const noFindings: readonly Finding[] = [];

function decideReaches(
  { reaches, facts }: { readonly reaches: readonly Reach[]; readonly facts: MachineFacts },
  known: ToolPolicy,
  compiled: CompiledTiers,
): Decision {
  const { decision } = known;
  if (decision.effect === "deny") return decision;
  const findings = reaches.length === 0 ? known.undeclared : reaches.flatMap((reach) => judgeReach(reach, compiled));
  const machine = judgeMachine(known, facts, compiled);
  if (findings.length === 0 && machine.length === 0) return decision;
  return strictest([...findings, ...machine, ...decision.findings], compiled.revision);
}

/** A tool that can change things elsewhere and does not say what this call will do is asked about as a whole. */
function judgeUndeclared(tool: ToolFacts, { autonomy }: CompiledTiers): readonly Finding[] {
  if (autonomy !== "supervised") return [];
  if (!weightOf(tool).leavesUnasked) return [];
  const reason = `The tool ${tool.name} can change something outside the workspace, and does not say beforehand what this call does.`;
  return [
    {
      effect: "ask",
      layer: "tool",
      rule: "default.supervised.undeclared",
      reason,
      risk: "medium",
      remedy: "Approve this call, or set autonomy to full.",
    },
  ];
}

function judgeReach(reach: Reach, compiled: CompiledTiers): readonly Finding[] {
  const { autonomy } = compiled;
  switch (reach.kind) {
    case "path":
      return [judgePath(reach, compiled)];
    case "request":
      return [judgeRequest(reach, compiled.network, { autonomy, where: "network" })];
    case "command":
      return [...judgeFolder(reach, compiled), ...judgeCommandReach(reach, compiled)];
  }
}

function judgeFolder({ workdir }: CommandReach, compiled: CompiledTiers): readonly Finding[] {
  const finding = judgePath({ kind: "path", path: workdir || ".", access: "read" }, compiled);
  return finding.effect === "allow" ? [] : [finding];
}

function judgeCommandReach(reach: CommandReach, compiled: CompiledTiers): readonly Finding[] {
  const { autonomy, commands } = compiled;
  try {
    const analysis = analyseLine(reach.command, { ...reach, ...(compiled.roots.length > 0 && { opened: compiled.roots }) });
    const forbidden = findForbiddenPath(analysis, compiled.forbidden);
    const reached = judgeDestinations(analysis, compiled, reach.workdir);
    return [
      ...(forbidden ? [forbidden] : []),
      ...reached.filter(({ effect }) => effect === "deny"),
      ...commands.flatMap((settings) =>
        judgeCommands(analysis, settings, { ...reach, autonomy }).map((found) => relyingIn(compiled, found)),
      ),
      ...reached.filter(({ effect }) => effect !== "deny"),
    ];
  } catch {
    const reason = "The command could not be judged because of a defect in the policy engine.";
    const remedy = "Report the command, and use another way.";
    return [{ effect: "deny", layer: "command", rule: "default.commands.not_understood", reason, subject: reach.command, remedy }];
  }
}

/** Where the policy names the host as the place of commands, it relies on nothing that holds programs in the workspace. */
function relyingIn({ sandbox }: CompiledTiers, finding: CommandFinding): CommandFinding {
  if (!finding.reliesOn || sandbox.mode !== "host") return finding;
  return { ...finding, reliesOn: finding.reliesOn.filter((each) => each !== "workspace") };
}

function judgeMachine({ startsProcesses }: ToolPolicy, facts: MachineFacts, { sandbox }: CompiledTiers): readonly Finding[] {
  return startsProcesses ? judgeSandbox(sandbox, facts, "sandbox") : noFindings;
}

/** What is the same in every policy of these documents. */
type Shared = Pick<Policy, "forPrincipal" | "agents">;
type Compile = (documents: readonly PolicyTier[], shared: Shared) => Policy;

/** Whose documents a principal is under, of the tenants and agents that some document names. */
interface Named {
  readonly tenant: string | undefined;
  readonly agents: readonly string[];
}

/** What holds for everybody, and on demand what holds for the tenant of a principal and for the agents that it is or acts for. */
function compileByPrincipal(documents: readonly PolicyTier[], compile: Compile): Policy {
  const tenants = new Set(documents.flatMap(({ tenant }) => tenant ?? []));
  const agents = new Set(documents.flatMap(({ agent }) => agent ?? []));
  const compiled = new Map<string | undefined, Map<string, Policy>>();
  const policyFor = (named: Named): Policy => {
    const ofTenant = compiled.get(named.tenant) ?? new Map<string, Policy>();
    const key = named.agents.length === 0 ? "" : JSON.stringify(named.agents);
    const found = ofTenant.get(key) ?? compile(documentsOf(documents, named), { forPrincipal, agents: [...agents] });
    compiled.set(named.tenant, ofTenant.set(key, found));
    return found;
  };
  const forPrincipal: Policy["forPrincipal"] = (principal) => {
    const tenant = tenants.has(principal.tenant) ? principal.tenant : undefined;
    const ids = agents.size === 0 ? noAgents : agentsOf(principal).filter((id) => agents.has(id));
    return tenant === undefined && ids.length === 0 ? everybody : policyFor({ tenant, agents: ids });
  };
  const everybody = policyFor({ tenant: undefined, agents: noAgents });
  // A document that is not valid is refused now, not at the first call under it.
  for (const { tenant, agent } of documents) policyFor({ tenant, agents: agent === undefined ? noAgents : [agent] });
  return everybody;
}

const noAgents: readonly string[] = [];

/** Documents of a tenant or an agent only narrow, so there is always a higher one. */
function documentsOf(documents: readonly PolicyTier[], { tenant, agents }: Named): readonly PolicyTier[] {
  const isShared = (each: PolicyTier) => each.tenant === undefined && each.agent === undefined;
  const shared = documents.filter(isShared);
  const own = documents.filter(
    (each) => !isShared(each) && (each.tenant ?? tenant) === tenant && (each.agent === undefined || agents.includes(each.agent)),
  );
  return [...(shared.length > 0 ? shared : [{ tier: "platform" as const, document: defaultPolicy }]), ...own];
}

function agentsOf({ actor, agent }: Pick<Principal, "actor" | "agent">): readonly string[] {
  const ids = [...(agent === undefined ? [] : [agent]), ...(actor.kind === "agent" ? [actor.id] : [])];
  return [...new Set(ids)].sort();
}
