import type { Decision, Finding, Reach } from "../../contract/decision.ts";
import type { ToolFacts } from "../tool-layer.ts";
import { type Allowance, type CoveredPart, coverReach } from "./grant-reach.ts";

/** A call that was decided, as grants see it. */
export interface GrantableCall {
  readonly tool: Pick<ToolFacts, "name" | "approval">;
  readonly reaches: readonly Reach[];
  /** Digest of the canonical input. */
  readonly digest: string;
  readonly decision: Decision;
}

/** Why no remembered yes can stand for a person here, whatever it allows; undefined when one can. */
export function findUngrantable({ tool, decision }: Pick<GrantableCall, "tool" | "decision">): string | undefined {
  if (decision.effect === "deny") return "the policy denies the call";
  if (tool.approval === "always_ask") return `the tool ${tool.name} asks before each call`;
  if (decision.findings.some(({ quorum }) => quorum)) return "several people have to say yes to it each time";
  if (decision.findings.some(({ effect, grantable }) => effect === "ask" && grantable === false))
    return "the policy lets nothing stand for a person here";
  const sandbox = decision.findings.find(({ effect, layer, subject }) => effect === "ask" && layer === "resource" && subject === undefined);
  return sandbox && `it is asked about because of what the machine lacks now: ${sandbox.reason}`;
}

/** Whose allowances together cover every finding that asks; undefined when one of them is left, and for every denial. */
export function coverCall(call: GrantableCall, allowances: readonly Allowance[]): readonly string[] | undefined {
  if (call.decision.effect !== "ask" || findUngrantable(call) !== undefined) return undefined;
  const parts = call.reaches.flatMap((reach) => coverReach(reach, allowances));
  const used = new Set<string>();
  for (const finding of call.decision.findings) {
    if (finding.effect === "allow") continue;
    const owners = finding.effect === "ask" ? coverFinding(finding, parts, { call, allowances }) : undefined;
    if (!owners) return undefined;
    for (const owner of owners) used.add(owner);
  }
  return used.size > 0 ? [...used] : undefined;
}

interface Question {
  readonly call: GrantableCall;
  readonly allowances: readonly Allowance[];
}

function coverFinding(finding: Finding, parts: readonly CoveredPart[], question: Question): readonly string[] | undefined {
  if (finding.layer === "tool") return coverWhole(parts, question);
  return ownersOf(parts.filter(({ layer, subject }) => layer === finding.layer && subject === finding.subject));
}

/** A finding about the tool as such: everything that the call names is covered, or it names nothing and is itself remembered. */
function coverWhole(parts: readonly CoveredPart[], { call, allowances }: Question): readonly string[] | undefined {
  if (call.reaches.length > 0) return ownersOf(parts.filter(({ aside }) => aside !== true));
  const found = allowances.find(({ allows }) => allows.kind === "input" && allows.digest === call.digest);
  return found && [found.by];
}

/** The same words may stand twice in a line, and mean another thing the second time: all of them have to be covered. */
function ownersOf(parts: readonly CoveredPart[]): readonly string[] | undefined {
  if (parts.length === 0 || parts.some(({ covered }) => !covered)) return undefined;
  return parts.flatMap(({ by }) => by ?? []);
}
