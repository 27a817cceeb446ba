import type { Answer } from "../api/queries.ts";

export type Why = Answer<"policy.why">["explanation"];
export type Change = NonNullable<Why["changes"]>[number];
type Finding = NonNullable<Why["decision"]>["findings"][number];

/** The answer to each of the three questions, before any reason. */
export function answersOf(why: Why): { readonly visible: string; readonly allowed: string; readonly changeable: string } {
  const { visible, changes = [] } = why;
  return {
    visible: visible ? "Yes" : "No",
    allowed: allowedIn(why),
    changeable: changes.length > 0 ? "Yes" : visible && why.decision?.effect === "allow" ? "Nothing needs to" : "Not from here",
  };
}

function allowedIn({ visible, misfit, decision, dependsOn = [], obstacles = [] }: Why): string {
  if (!visible) return "No";
  if (misfit !== undefined) return "No, the input does not fit";
  if (decision?.effect === "deny" || obstacles.length > 0) return "No";
  if (decision?.effect === "ask") return "No, it asks a person";
  if (!decision) return "No";
  return dependsOn.length > 0 ? "Yes, where the input allows it" : "Yes";
}

const layers = ["tool", "command", "resource"] as const;

/** What a rule said, now or then: what an earlier version wrote of it may be less. */
export interface AnyFinding {
  readonly effect: Finding["effect"];
  readonly rule: string;
  readonly layer?: Finding["layer"] | undefined;
  readonly reason?: string | undefined;
  readonly subject?: string | undefined;
  readonly risk?: string | undefined;
}

/** Findings in the order in which the policy's layers judge, each once; layers that say nothing are left out. */
export function findingsByLayer<Each extends AnyFinding>(
  decision: (Each & { readonly findings: readonly Each[] }) | undefined,
): readonly { readonly layer: Finding["layer"]; readonly findings: readonly Each[] }[] {
  if (!decision) return [];
  const all: readonly Each[] = decision.findings.length > 0 ? decision.findings : [decision];
  const each = new Map(all.map((finding) => [keyOfFinding(finding), finding]));
  return layers
    .map((layer) => ({ layer, findings: [...each.values()].filter((finding) => (finding.layer ?? "tool") === layer) }))
    .filter(({ findings }) => findings.length > 0);
}

export function keyOfFinding({ layer, rule, effect, subject, reason }: AnyFinding): string {
  return JSON.stringify([layer, rule, effect, subject, reason]);
}
