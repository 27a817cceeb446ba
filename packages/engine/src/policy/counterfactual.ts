import { analyseLine, baseName, type CommandRule } from "@toolwright/commands";
import { makeVisible } from "@toolwright/commands/targets";
import type { Decision, Reach } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import type { Policy } from "./policy.ts";
import type { MachineFacts } from "./resource-layer.ts";
import type { ToolFacts } from "./tool-layer.ts";

/** One simple command of a line that does not run unasked as a whole. */
interface Part {
  readonly source: string;
  readonly words: readonly string[];
}

/** One call, as the policy is asked about it. */
interface PolicyQuestion {
  readonly tool: ToolFacts;
  readonly reaches: readonly Reach[];
  readonly facts: MachineFacts;
  readonly principal: Principal;
}

/**
 * What would let the commands of a call through, in sentences: the parts that run unasked by themselves, and for each other one the
 * nearest allowing rule. Each part is tried. Empty for what is allowed.
 */
export function explainCounterfactual({ tool, reaches, facts, principal }: PolicyQuestion, policy: Policy): readonly string[] {
  const decide = (reach: Reach) => policy.decide(tool, [reach], facts, principal);
  return reaches.flatMap((reach) => {
    if (reach.kind !== "command" || decide(reach).effect === "allow") return [];
    return explainLine(reach.command, { allowing: policy.allowing, decide: (command) => decide({ ...reach, command }) });
  });
}

interface Trial {
  readonly allowing: readonly CommandRule[];
  readonly decide: (line: string) => Decision;
}

function explainLine(line: string, { allowing, decide }: Trial): readonly string[] {
  const analysis = analyseLine(line);
  if (!analysis.ok) return [];
  const parts = new Map<string, Part>();
  for (const { source, argv } of analysis.commands) parts.set(source, { source, words: argv.map(({ text }) => text) });
  const judged = [...parts.values()].map((part) => ({ part, decision: decide(part.source) }));
  const harmless = judged.filter(({ decision }) => decision.effect === "allow").map(({ part }) => quote(part.source));
  const others = judged.filter(({ decision }) => decision.effect !== "allow");
  return [
    ...(harmless.length > 0 ? [`Would be allowed by itself: ${harmless.join(", ")}.`] : []),
    ...others.map(({ part, decision }) =>
      decision.effect === "deny"
        ? `Denied: ${quote(part.source)}, by ${decision.rule}. No rule that allows changes that.`
        : describeNearest(part, allowing),
    ),
  ];
}

const quote = (text: string) => `\`${makeVisible(text)}\``;

function describeNearest({ source, words }: Part, allowing: readonly CommandRule[]): string {
  const program = baseName(words[0] ?? "");
  const near = allowing
    .filter(({ pattern }) => pattern.program === program)
    .map((rule) => ({ rule, shared: countShared(rule, words) }))
    .reduce<{ rule: CommandRule; shared: number } | undefined>(
      (best, next) => (best && best.shared >= next.shared ? best : next),
      undefined,
    );
  if (!near) return `Not allowed: ${quote(source)}. No rule allows any ${quote(program)}.`;
  const { rule, shared } = near;
  const nearest = `Not allowed: ${quote(source)}. The nearest rule is ${JSON.stringify(rule.text)} (${rule.where})`;
  if (shared === rule.pattern.words.length && (rule.pattern.rest || shared === words.length))
    return `${nearest}, which matches it: see the blocking rule above.`;
  const has = words[shared] === undefined ? "nothing" : quote(words[shared]);
  return `${nearest}, which has ${describeWord(rule, shared)} where this has ${has}.`;
}

/** Words at the beginning that are as the rule has them. */
function countShared({ pattern }: CommandRule, words: readonly string[]): number {
  const first = pattern.words.findIndex((word, index) => {
    const text = index === 0 ? baseName(words[0] ?? "") : words[index];
    return text === undefined || !("literal" in word ? word.literal === text : word.shape.test(text));
  });
  return first < 0 ? pattern.words.length : first;
}

function describeWord({ pattern }: CommandRule, index: number): string {
  const word = pattern.words[index];
  if (!word) return "nothing";
  return "literal" in word ? quote(word.literal) : "a pattern";
}
