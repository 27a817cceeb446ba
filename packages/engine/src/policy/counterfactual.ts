import type { CommandRule } from "./command/command-rules.ts";
import { analyseLine, type CommandSettings } from "./command/judge-commands.ts";
import { baseName } from "./command/resolve-program.ts";
import { makeVisible } from "./path-text.ts";

/** One simple command of a line that does not run unasked as a whole. */
interface Part {
  readonly source: string;
  readonly words: readonly string[];
}

export interface CounterfactualOptions {
  /** Of each tier that speaks of commands. */
  readonly commands: readonly CommandSettings[];
  /** Decides a command line by itself. */
  readonly runsUnasked: (line: string) => boolean;
}

/** What would let a command line through: the parts that run unasked by themselves, and for each other one the nearest allowing rule. Each part is tried. */
export function explainCounterfactual(line: string, { commands, runsUnasked }: CounterfactualOptions): readonly string[] {
  const analysis = analyseLine(line);
  if (!analysis.ok) return [];
  const parts = new Map<string, Part>();
  for (const { source, argv } of analysis.commands) parts.set(source, { source, words: argv.map(({ text }) => text) });
  const judged = [...parts.values()].map((part) => ({ part, harmless: runsUnasked(part.source) }));
  const harmless = judged.filter((each) => each.harmless).map(({ part }) => quote(part.source));
  const lines = harmless.length > 0 ? [`Would be allowed with only: ${harmless.join(", ")}.`] : [];
  return [...lines, ...judged.filter((each) => !each.harmless).map(({ part }) => describeNearest(part, commands))];
}

const quote = (text: string) => `\`${makeVisible(text)}\``;

function describeNearest({ source, words }: Part, commands: readonly CommandSettings[]): string {
  const program = baseName(words[0] ?? "");
  const rules = commands.flatMap(({ rules: { allow } }) => [...allow.values()].flat());
  const near = rules
    .filter(({ pattern }) => pattern.program === program)
    .map((rule) => ({ rule, shared: countShared(rule, words) }))
    .reduce<{ rule: CommandRule; shared: number } | undefined>(
      (best, next) => (best && best.shared >= next.shared ? best : next),
      undefined,
    );
  if (!near) return `No rule allows any ${quote(program)}: ${quote(source)} needs one of its own, or an approval.`;
  const { rule, shared } = near;
  const other = shared < words.length ? `, which has ${quote(words[shared] ?? "")} where the rule has ${describeWord(rule, shared)}` : "";
  return `The nearest rule to ${quote(source)}${other} is ${JSON.stringify(rule.text)} (${rule.where}).`;
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
  if (!word) return pattern.rest ? "any words" : "nothing more";
  return "literal" in word ? quote(word.literal) : "a pattern";
}
