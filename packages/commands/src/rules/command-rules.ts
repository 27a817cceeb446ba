import type { Effect, Quorum } from "../finding.ts";
import { findProgram } from "../programs/programs.ts";
import type { Word } from "../words/decode-word.ts";
import { baseName, resolveArgv, resolveProgram } from "../words/resolve-program.ts";
import { type CommandPattern, compilePattern, matchPattern, type PatternMatch } from "./command-pattern.ts";

/** One rule of the command layer, compiled. */
export interface CommandRule {
  readonly pattern: CommandPattern;
  readonly text: string;
  readonly effect: Effect;
  /** Where it stands, for findings. */
  readonly where: string;
  /** True for what a person allowed once: what obeys the project is covered in the folder of that yes alone. */
  readonly inFolderOnly?: boolean;
  /** Who has to say yes where the rule asks. */
  readonly quorum?: Quorum;
}

/** Rules by program and second word, so that a decision looks only at rules that can match. */
export interface RuleIndex {
  readonly allow: ReadonlyMap<string, readonly CommandRule[]>;
  readonly ask: ReadonlyMap<string, readonly CommandRule[]>;
  readonly deny: ReadonlyMap<string, readonly CommandRule[]>;
}

/** Compiles one pattern; undefined when it covers nothing. */
export function compileRule(text: string, effect: Effect, where: string): CommandRule | undefined {
  const pattern = compilePattern(text);
  if (!pattern) return undefined;
  const program = effect === "allow" ? resolveProgram(pattern.program) : baseName(pattern.program);
  return { pattern: { ...pattern, program, words: [{ literal: program }, ...pattern.words.slice(1)] }, text, effect, where };
}

export function indexRules(rules: readonly CommandRule[]): RuleIndex {
  const index = { allow: new Map<string, CommandRule[]>(), ask: new Map<string, CommandRule[]>(), deny: new Map<string, CommandRule[]>() };
  for (const rule of rules.flatMap((written) => [written, ...enteringRules(written)])) {
    const second = rule.pattern.words[1];
    const key = second && "literal" in second ? keyOf(rule.pattern.program, second.literal) : rule.pattern.program;
    const list = index[rule.effect].get(key) ?? [];
    list.push(rule);
    index[rule.effect].set(key, list);
  }
  return index;
}

/** A rule for a folder covers going there, too. */
function enteringRules(rule: CommandRule): readonly CommandRule[] {
  const { folder } = rule.pattern;
  if (!folder || rule.effect !== "allow") return [];
  return [{ ...rule, pattern: { program: "cd", words: [{ literal: "cd" }, folder], rest: false, exact: false } }];
}

const keyOf = (program: string, second: string) => `${program}\0${second}`;

export interface RuleMatch extends PatternMatch {
  readonly rule: CommandRule;
}

/** The allowing rules that cover an argv. */
export function findCovering(index: RuleIndex, argv: readonly Word[]): readonly RuleMatch[] {
  const words = resolveArgv(argv);
  const plain = dropNeutral(words);
  if (plain === words) return matchAll(index.allow, words);
  // A neutral option that a rule writes out names nothing: `npm -s *` is no more than `npm *`.
  const neutral = words.length - plain.length;
  const written = matchAll(index.allow, words).map((match) => ({ ...match, pinned: match.pinned - neutral }));
  return [...written, ...matchAll(index.allow, plain)];
}

/** `git --no-pager log` is `git log` to a rule. */
function dropNeutral(argv: readonly Word[]): readonly Word[] {
  const neutral = findProgram(argv[0]?.text ?? "")?.neutral;
  const subcommand = neutral ? argv.findIndex((word, index) => index > 0 && !neutral.has(word.text)) : 1;
  return subcommand > 1 ? [...argv.slice(0, 1), ...argv.slice(subcommand)] : argv;
}

/** The first asking or denying rule that speaks of an argv: wherever the program lies, and with options before the subcommand. */
export function findRestricting(index: RuleIndex["ask"], argv: readonly Word[]): CommandRule | undefined {
  const [first, ...rest] = argv;
  if (!first || index.size === 0) return undefined;
  const program = { ...first, text: baseName(first.text) };
  for (let skipped = 0; skipped <= rest.length; skipped++) {
    const found = matchAll(index, [program, ...rest.slice(skipped)], skipped > 0)[0];
    if (found) return found.rule;
    if (!rest[skipped]?.text.startsWith("-") && !(skipped > 0 && rest[skipped - 1]?.text.startsWith("-"))) return undefined;
  }
  return undefined;
}

function matchAll(index: RuleIndex["allow"], argv: readonly Word[], onlyNamed = false): readonly RuleMatch[] {
  const [program, second] = argv;
  if (!program) return [];
  const named = second ? index.get(keyOf(program.text, second.text)) : undefined;
  const general = onlyNamed ? undefined : index.get(program.text);
  const matches: RuleMatch[] = [];
  for (const rule of [...(named ?? []), ...(general ?? [])]) {
    const match = matchPattern(rule.pattern, argv);
    if (match) matches.push({ ...match, rule });
  }
  return matches;
}
