import type { Effect, Quorum } from "../finding.ts";
import { findProgram } from "../programs/programs.ts";
import { letterRules, matchList } from "../targets/match-list.ts";
import { hidesHost } from "../targets/url-text.ts";
import { baseName, fromRoot, resolveArgv, resolveProgram, type Word } from "../words/decode-word.ts";

/** One rule of the command layer, compiled. */
export interface CommandRule {
  readonly pattern: CommandPattern;
  readonly text: string;
  readonly effect: Effect;
  /** Where it stands, for findings. */
  readonly where: string;
  /** True for what a person allowed once: what obeys the project is covered in the folder of that yes alone. */
  readonly inFolderOnly?: boolean;
  /** True for an allowing rule that holds also once the session has read foreign content. */
  readonly afterForeign?: boolean;
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
  return readings(resolveArgv(argv)).flatMap((words) => matchAllowing(index, words));
}

/** As written, and where that differs with paths of the workspace relative to it: rules are written so. */
function readings(argv: readonly Word[]): readonly (readonly Word[])[] {
  const relative = fromRoot(argv);
  return relative === argv ? [argv] : [argv, relative];
}

function matchAllowing(index: RuleIndex, words: readonly Word[]): readonly RuleMatch[] {
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
  if (index.size === 0) return undefined;
  for (const words of readings(argv)) {
    const found = matchRestricting(index, words);
    if (found) return found;
  }
  return undefined;
}

function matchRestricting(index: RuleIndex["ask"], [first, ...rest]: readonly Word[]): CommandRule | undefined {
  if (!first) return undefined;
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

/** A pattern over the words of one simple command. */
export interface CommandPattern {
  /** First word, never a wildcard. */
  readonly program: string;
  readonly words: readonly PatternWord[];
  /** True when any further words may follow. */
  readonly rest: boolean;
  /** True without any wildcard: it names one argv. */
  readonly exact: boolean;
  /** The folder below the workspace's root that it speaks of: `cd packages/* && npm test*`. */
  readonly folder?: PatternWord;
}

type PatternWord = { readonly literal: string } | { readonly shape: WordShape; readonly lone: boolean };

/** How far a pattern names the command: `pinned` words were written out in it. */
interface PatternMatch {
  readonly exact: boolean;
  readonly pinned: number;
  readonly rest: boolean;
}

/**
 * Compiles a pattern; undefined when it covers nothing (it is empty, or its program is a wildcard). A lone last `*` means
 * any further words; a last `word*` means exactly that word, then any words; `*` and `?` elsewhere stay in one word and
 * never cross `/`. Words in quotes are literal. `cd FOLDER && ` in front binds it to that folder below the root.
 */
export function compilePattern(text: string): CommandPattern | undefined {
  const placed = /^\s*cd\s+([^\s'"]+)\s+&&\s(.*)$/s.exec(text);
  if (placed?.[1] && isFolderBelow(placed[1])) {
    const inner = compilePattern(placed[2] as string);
    return inner && !inner.folder ? { ...inner, folder: compileWord(placed[1].replace(/^\.\/|\/$/g, ""), false) } : undefined;
  }
  const tokens = [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((found) => ({
    text: found[1] ?? found[2] ?? found[3] ?? "",
    quoted: found[3] === undefined,
  }));
  const last = tokens.at(-1);
  let rest = false;
  if (last && !last.quoted && last.text === "*") {
    rest = tokens.pop() !== undefined;
  } else if (last && !last.quoted && /^[^*?]*[A-Za-z0-9]\*$/.test(last.text)) {
    rest = true;
    last.text = last.text.slice(0, -1);
  }
  const words = tokens.map(({ text, quoted }) => compileWord(text, quoted));
  const program = words[0];
  if (!program || !("literal" in program) || program.literal === "") return undefined;
  return { program: program.literal, words, rest, exact: !rest && words.every((word) => "literal" in word) };
}

/** True for a relative path, here or in a pattern, that climbs nowhere and has no hidden folders. */
export function isFolderBelow(text: string): boolean {
  return /^(?:\.\/)?[\w@*?][^/\\]*(?:\/[\w@*?][^/\\]*)*\/?$/.test(text);
}

/** True when a pattern may be used in a folder: everywhere if it names none. `undefined` is a folder that is not known. */
export function coversFolder({ folder: expected }: CommandPattern, folder: string | undefined): boolean {
  if (!expected) return true;
  if (folder === undefined || folder === "") return false;
  return "literal" in expected ? folder === expected.literal : expected.shape.test(folder);
}

function compileWord(text: string, quoted: boolean): PatternWord {
  if (quoted || !/[*?]/.test(text)) return { literal: text };
  const url = /^https?:\/\/[a-z0-9.-]+(?::\d+)?\/[^*?]*\*$/.test(text);
  return { shape: url ? urlShape(text) : wordShape(text), lone: text === "*" };
}

/** A word with wildcards. */
interface WordShape {
  /** Equal for shapes that match the same. */
  readonly source: string;
  test(text: string): boolean;
}

const urlShape = (text: string): WordShape =>
  new RegExp(`^${text.slice(0, -1).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}[A-Za-z0-9._~/?&=%+,-]*$`, "u");

/** A `*` that is a whole part of a path stands for one character at least; a word that begins with a wildcard is no option. */
function wordShape(text: string): WordShape {
  const parts = text.split("/").map((part) => (part === "*" ? ["?", "*"] : Array.from(part)));
  return {
    source: text,
    test(word) {
      const values = word.split("/");
      if (values.length !== parts.length || (/^[*?]/.test(text) && word.startsWith("-"))) return false;
      return parts.every((part, at) => matchList(part, Array.from(values[at]!), letterRules));
    },
  };
}

/** Matches words after quote removal; undefined when the pattern does not cover them. */
export function matchPattern(pattern: CommandPattern, argv: readonly Word[]): PatternMatch | undefined {
  if (argv.length < pattern.words.length || (!pattern.rest && argv.length > pattern.words.length)) return undefined;
  let pinned = 0;
  for (const [index, expected] of pattern.words.entries()) {
    const word = argv[index] as Word;
    if (word.tilde || !matchWord(expected, word)) return undefined;
    if (pinned === index && ("literal" in expected || !expected.lone)) pinned++;
  }
  return { exact: pattern.exact, pinned, rest: pattern.rest };
}

function matchWord(expected: PatternWord, word: Word): boolean {
  if ("literal" in expected) return !word.glob && word.text === expected.literal;
  return expected.shape.test(word.text) && !/(?:^|\/)\.\.(?:\/|$)|\/\.$|%2e/i.test(word.text) && !hidesHost(word.text);
}

/** The pattern that covers exactly these words, quoted where a shell would read more into them; undefined when it cannot be written. */
export function suggestPattern(argv: readonly Word[]): string | undefined {
  const words = argv.map(({ text }) => (/^[^\s*?'"$`;&|<>(){}\\#]+$/.test(text) ? text : text.includes("'") ? undefined : `'${text}'`));
  return words.includes(undefined) || argv.some((word) => word.glob || word.tilde) ? undefined : words.join(" ");
}
