import { oneLine } from "../../contract/visible-text.ts";
import type { RulePosition } from "../../gate/explanation.ts";
import type { ToolRun } from "../../ports/to-run.ts";
import type { Rendering } from "../shell.ts";

type Runs = { readonly items: readonly ToolRun[]; readonly next?: string | undefined };

export const runsView: Rendering<Runs> = {
  show({ items }, { input: { limit: _, ...narrowing } }) {
    if (items.length === 0)
      return [Object.keys(narrowing).length === 0 ? "There are no runs yet: toolwright call TOOL" : "There is no such run."];
    return [{ head: ["id", "started", "status", "ms", "tool", "who", "error"], rows: items.map(toRow) }];
  },
  json: ({ items, next = null }) => ({ runs: items, next }),
};

const toRow = ({ id, startedAt, status, durationMs, tool, caller, agent, error }: ToolRun) => [
  id,
  `${new Date(startedAt).toISOString().slice(0, 19)}Z`,
  status,
  durationMs === null ? "" : String(Math.round(durationMs)),
  tool,
  agent === null || agent === caller.id ? caller.id : `${caller.id} as ${agent}`,
  error ?? "",
];

export const runView: Rendering<ToolRun> = { show: (run) => Object.entries(run).map(describeMember) };

function describeMember([name, value]: readonly [string, unknown]): string {
  const text = name === "startedAt" ? new Date(Number(value)).toISOString() : typeof value === "string" ? value : JSON.stringify(value);
  return `${name.padEnd(11)} ${oneLine(text)}`;
}

interface Word {
  readonly rule: string;
  readonly layer?: string | undefined;
}

interface Decision extends Word {
  readonly at: number;
  readonly effect: "allow" | "ask" | "deny";
  readonly reason?: string | undefined;
  readonly revision?: string | undefined;
  readonly findings: readonly (Word & { readonly effect: string })[];
}

interface Told {
  readonly tool: string;
  readonly decisions: readonly Decision[];
  /** Revision of the policy in force. */
  readonly revision: string;
  readonly places?: Readonly<Record<string, RulePosition>> | undefined;
}

export const runWhyView: Rendering<Told> = { show: describeDecisions };

const words = { allow: "Allowed", ask: "Needed approval", deny: "Denied" } as const;

/** Each decision about a call, as it was made; what the policy in force would say is another question. */
function describeDecisions(told: Told): readonly string[] {
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

function describeRule({ rule, layer }: Word, { places = {} }: Told): string {
  const place = Object.hasOwn(places, rule) ? places[rule] : undefined;
  const more = [...(layer === undefined ? [] : [`${layer} layer`]), ...(place ? [`at ${place.file}:${place.line}:${place.column}`] : [])];
  return `${oneLine(rule)}${more.length > 0 ? ` (${more.join(", ")})` : ""}`;
}

const describeRevision = (then: string, now: string) =>
  `${then.slice(0, 12)}, ${then === now ? "in force now" : `not the one in force now (${now.slice(0, 12)})`}`;
