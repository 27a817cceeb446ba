import type { Decision } from "../contract/decision.ts";
import type { PossibleChange } from "../contract/possible-change.ts";
import { visibleText } from "../contract/visible-text.ts";

/** What stands in the way of a call beside its decision. */
interface Obstacles {
  /** Names of secrets that the input names and nobody set. */
  readonly secrets?: readonly string[];
  /** Refusals of capabilities, in words. */
  readonly refusals?: readonly string[];
  /** What would let commands through, in sentences. */
  readonly counterfactual?: readonly string[];
}

const remembered = "Approve a call and remember it: calls like it then run without asking.";

/** What would let a call run unasked, each once; empty for one that does. */
export function changesOf(
  decision: Decision,
  { secrets = [], refusals = [], counterfactual = [] }: Obstacles = {},
): readonly PossibleChange[] {
  const standing = [decision, ...decision.findings].filter(({ effect }) => effect !== "allow");
  const remedies = standing.flatMap(({ remedy }) => remedy ?? []);
  const isGrantable = decision.effect === "ask" && standing.every(({ grantable, effect }) => effect === "ask" && grantable !== false);
  const policy = decision.effect === "allow" ? [] : [...new Set([...remedies, ...counterfactual])];
  return [
    ...secrets.map((name): PossibleChange => ({ kind: "secret", text: `Set the secret ${JSON.stringify(visibleText(name))}.` })),
    ...refusals.map((text): PossibleChange => ({ kind: "input", text })),
    ...policy.map((text): PossibleChange => ({ kind: "policy", text })),
    ...(isGrantable ? [{ kind: "grant" as const, text: remembered }] : []),
  ];
}
