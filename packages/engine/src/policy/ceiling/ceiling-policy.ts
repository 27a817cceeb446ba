import { type Decision, demandApprovals, strictest } from "../../contract/decision.ts";
import { digest } from "../../contract/digest.ts";
import type { Principal } from "../../contract/principal.ts";
import type { SandboxRules } from "../../ports/policy-rules.ts";
import { strictestRule } from "../after-foreign.ts";
import { intersectRoots, joinLimits, mergeNetwork } from "../merge-rules.ts";
import type { Policy } from "../policy.ts";
import type { ToolFacts } from "../tool-layer.ts";
import { narrowDecision } from "./ceiling.ts";

/** The policy of a sub-agent: that of everyone up to whom all of it comes from, within every bound on the way. */
export function narrowPolicy(policy: Policy, principal: Principal): Policy {
  const policies = [...new Set(chainOf(principal).map((each) => policy.forPrincipal(each)))];
  const [own = policy] = policies;
  const revision = policies.length === 1 ? own.revision : digest(policies.map((each) => each.revision));
  const join = (decisions: readonly Decision[]) => {
    const [only] = decisions;
    return only && decisions.length === 1
      ? only
      : strictest(
          decisions.flatMap(({ findings }) => findings),
          revision,
        );
  };
  const approvalsFor: Policy["approvalsFor"] = (tool) => policies.flatMap((each) => each.approvalsFor(tool));
  const decideAll = (tool: ToolFacts, decide: (policy: Policy) => Decision) =>
    demandApprovals(join(policies.map(decide)), approvalsFor(tool));
  return {
    revision,
    autonomy: (["read_only", "supervised"] as const).find((strict) => policies.some(({ autonomy }) => autonomy === strict)) ?? "full",
    approvalsFor,
    paths: {
      forbidden: [...new Set(policies.flatMap(({ paths }) => paths.forbidden))],
      roots: policies.map(({ paths }) => paths.roots ?? []).reduce(intersectRoots),
    },
    network: mergeNetwork([...policies.map(networkDocument), ...hostBounds(principal)].map((network) => ({ version: 1, network }))),
    sandbox: narrowSandbox(policies, hostBounds(principal).length > 0),
    allowing: policies.flatMap(({ allowing }) => allowing),
    forPrincipal: policy.forPrincipal,
    agents: policy.agents,
    afterForeign: (tool, reaches, facts) => strictestRule(policies.map((each) => each.afterForeign(tool, reaches, facts))),
    ratesFor: (tool) => [...new Map(policies.flatMap((each) => each.ratesFor(tool)).map((rate) => [rate.rule, rate])).values()],
    decideTool: (tool) =>
      narrowDecision(
        decideAll(tool, (each) => each.decideTool(tool)),
        { principal, tool, reaches: [] },
      ),
    decide: (tool, reaches, facts, caller) =>
      narrowDecision(
        decideAll(tool, (each) => each.decide(tool, reaches, facts, caller)),
        { principal, tool, reaches },
      ),
    judge: (tool, reach, facts) =>
      narrowDecision(join(policies.map((each) => each.judge(tool, reach, facts))), { principal, tool, reaches: [reach] }),
  };
}

/** Nearest first. */
function chainOf(principal: Principal): readonly Principal[] {
  return [principal, ...(principal.delegated ? chainOf(principal.delegated.from) : [])];
}

function networkDocument({ network: { allow, deny, allowRanges } }: Policy) {
  return { ...(allow && { allow: [...allow] }), deny: [...deny], allow_ranges: [...allowRanges] };
}

function hostBounds({ delegated }: Principal): { allow?: string[]; deny?: string[] }[] {
  if (!delegated) return [];
  const { ceiling, assignment, deny, from } = delegated;
  const allows = [ceiling?.hosts, assignment?.hosts].flatMap((hosts) => (hosts ? [{ allow: [...hosts] }] : []));
  return [...allows, ...(deny?.hosts ? [{ deny: [...deny.hosts] }] : []), ...hostBounds(from)];
}

/** Where hosts are bound, the network of the machine, which reaches every host, becomes a filtered one. */
function narrowSandbox(policies: readonly Policy[], bindsHosts: boolean): SandboxRules {
  const rules = policies.map(({ sandbox }) => sandbox);
  const joined = rules.reduce(strictestSandbox);
  return bindsHosts && joined.network === "host" ? { ...joined, network: "filtered" } : joined;
}

function strictestSandbox(a: SandboxRules, b: SandboxRules): SandboxRules {
  const isOpen = a.mode === "host" || (a.mode === "auto" && b.mode !== "host");
  return {
    mode: isOpen ? b.mode : a.mode,
    network: (["none", "filtered"] as const).find((access) => a.network === access || b.network === access) ?? "host",
    unavailable: a.unavailable === "ask" && b.unavailable === "ask" ? "ask" : "refuse",
    git: a.git === "writable" && b.git === "writable" ? "writable" : "sealed",
    ...joinLimits(a, b),
    timeoutMs: Math.min(a.timeoutMs, b.timeoutMs),
    maxOutputBytes: Math.min(a.maxOutputBytes, b.maxOutputBytes),
  };
}
