import type { Finding, Quorum } from "../contract/decision.ts";
import type { PolicyDocument } from "./document/policy-document.ts";
import type { ToolFacts } from "./tool-layer.ts";

/** One tier's word on who has to say yes. */
export interface ApprovalSettings {
  readonly grants: boolean;
  readonly quorum: readonly QuorumRule[];
  readonly where: string;
}

interface QuorumRule {
  /** Names and `group:` handles; undefined for every tool. */
  readonly tools: ReadonlySet<string> | undefined;
  readonly quorum: Quorum;
}

export function compileApprovals(approvals: NonNullable<PolicyDocument["approvals"]>, where: string): ApprovalSettings {
  const quorum = (approvals.quorum ?? []).map(({ tools, approvers, permission, not_requester }) => ({
    tools: tools && new Set(tools),
    quorum: toQuorum({ approvers, permission, not_requester }),
  }));
  return { grants: approvals.grants ?? true, quorum, where };
}

type QuorumMembers = NonNullable<NonNullable<PolicyDocument["commands"]>["rules"][number]["quorum"]>;

export function toQuorum({ approvers, permission, not_requester }: QuorumMembers): Quorum {
  return { approvers, ...(permission !== undefined && { permission }), ...(not_requester && { notRequester: true }) };
}

/** What one tier demands of every approval of a tool's calls. Each demand is a finding of its own, and all of them hold at once. */
export function judgeApprovals(tool: ToolFacts, { grants, quorum, where }: ApprovalSettings): readonly Finding[] {
  const demands = quorum.flatMap(({ tools, quorum: demanded }, index): Finding[] => {
    if (tools && !tools.has(tool.name) && !tools.has(`group:${tool.group}`)) return [];
    const rule = `${where}.quorum[${index}]`;
    const remedy = "Have the call approved, or change that rule.";
    return [{ effect: "ask", layer: "tool", rule, reason: describeQuorum(tool.name, demanded), remedy, quorum: demanded }];
  });
  if (grants) return demands;
  const reason = "The policy lets no earlier yes stand for a person.";
  const remedy = "Have each call approved, or let grants stand for a person again.";
  return [...demands, { effect: "ask", layer: "tool", rule: `${where}.grants`, reason, remedy, grantable: false }];
}

function describeQuorum(name: string, { approvers, permission, notRequester }: Quorum): string {
  const people = approvers === 1 ? "A person" : `${approvers} people`;
  const able = permission === undefined ? "" : ` with the permission ${permission}`;
  const others = notRequester ? ", and the requester does not count" : "";
  return `${people}${able} ${approvers === 1 ? "has" : "have"} to approve a call of ${name}${others}.`;
}
