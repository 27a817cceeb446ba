import type { OperationTypes } from "@toolwright/engine/operations";
import { describePosition } from "@toolwright/server/policy-file";
import { oneLine } from "@toolwright/server/text";

type Told = OperationTypes["runs.why"]["output"];
type Decision = Told["decisions"][number];

const words = { allow: "Allowed", ask: "Needed approval", deny: "Denied" } as const;

/** Each decision about a call, as it was made; what the policy in force would say is another question. */
export function describeDecisions(told: Told): readonly string[] {
  if (told.decisions.length === 0) return [`The call of ${oneLine(told.tool)} ended before it was decided.`];
  return told.decisions.flatMap((decision, index) => [...(index === 0 ? [] : [""]), ...describeDecision(decision, told)]);
}

function describeDecision(decision: Decision, told: Told): readonly string[] {
  const { at, effect, reason, revision, findings } = decision;
  const others = findings.filter((each) => each.effect !== "allow" && each.rule !== decision.rule);
  return [
    `${words[effect]} at ${new Date(at).toISOString()}${reason === undefined ? "" : `: ${oneLine(reason)}`}`,
    ...[decision, ...others].map((each) => `  rule: ${describeRule(each, told)}`),
    ...(revision === undefined ? [] : [`  policy revision: ${describeRevision(revision, told.revision)}`]),
  ];
}

function describeRule({ rule, layer }: Pick<Decision, "rule" | "layer">, { places = {} }: Told): string {
  const place = Object.hasOwn(places, rule) ? places[rule] : undefined;
  const more = [...(layer === undefined ? [] : [`${layer} layer`]), ...(place ? [`at ${describePosition(place)}`] : [])];
  return `${oneLine(rule)}${more.length > 0 ? ` (${more.join(", ")})` : ""}`;
}

const describeRevision = (then: string, now: string) =>
  `${then.slice(0, 12)}, ${then === now ? "in force now" : `not the one in force now (${now.slice(0, 12)})`}`;
