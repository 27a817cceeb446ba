import type { Word } from "../words/decode-word.ts";
import { judgePathWord, type Objection } from "../words/judge-path-word.ts";
import type { ProgramRule } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments, scanArguments } from "../words/scan-arguments.ts";

/** What the review of a program says of one argv. */
export interface ArgumentsVerdict {
  /** The rule of the subcommand, where there is one. */
  readonly rule: ProgramRule;
  readonly objection: Objection;
}

const noOptions = optionTable("");

/** Judges the words after the program's name by its reviewed rule. */
export function judgeArguments(rule: ProgramRule, words: readonly Word[]): ArgumentsVerdict {
  const mode = rule.modes?.get(words[0]?.text ?? "");
  if (mode) return judgeArguments(mode, words.slice(1));
  if (rule.subcommands) return judgeSubcommand(rule, rule.subcommands, words);
  if (rule.words) return { rule, objection: rule.words(words) };
  const scanned = scanArguments(words, {
    options: rule.options ?? noOptions,
    numbers: rule.numbers,
    stopAtOperand: rule.passesOn,
  });
  return { rule, objection: typeof scanned === "string" ? scanned : judgeScanned(rule, scanned) };
}

function judgeSubcommand(rule: ProgramRule, subcommands: ReadonlyMap<string, ProgramRule>, words: readonly Word[]): ArgumentsVerdict {
  const at = words.findIndex((word) => rule.options?.get(word.text) !== "flag");
  const name = words[at];
  if (!name) return { rule, objection: rule.needsSubcommand ? "it is not said what it shall do" : undefined };
  const subcommand = name.glob || name.splitQuotes ? undefined : subcommands.get(name.text);
  if (!subcommand) return { rule, objection: `${JSON.stringify(name.text)} is not on the reviewed list` };
  return judgeArguments(subcommand, words.slice(at + 1));
}

function judgeScanned(rule: ProgramRule, scanned: ScannedArguments): Objection {
  for (const option of scanned.options) {
    if (option.value?.tilde) return `${JSON.stringify(option.value.text)} is in a home folder, outside the workspace`;
    const objection = option.kind === "path" && option.value ? judgePathWord(option.value, "read") : undefined;
    if (objection) return objection;
  }
  return judgeOperands(rule, scanned) ?? rule.check?.(scanned);
}

function judgeOperands(rule: ProgramRule, scanned: ScannedArguments): Objection {
  const { operands, exposed } = scanned;
  const most = rule.operands ? (rule.maxOperands ?? Number.POSITIVE_INFINITY) : 0;
  if (operands.length > most) return `${JSON.stringify(operands[most]?.text)} is one argument more than was reviewed`;
  const { count = 0, unless = [] } = rule.textFirst ?? {};
  const texts = scanned.options.some((option) => unless.includes(option.name)) ? 0 : count;
  for (const [index, word] of operands.entries()) {
    if (rule.passesOn && index > 0) {
      if (word.tilde) return `${JSON.stringify(word.text)} is in a home folder, outside the workspace`;
      continue;
    }
    if (rule.passesOn && word.glob) return `${JSON.stringify(word.text)} may expand to another script`;
    const isText = rule.operands === "text" || index < texts;
    const access = isText || rule.operands === undefined ? "read" : rule.operands;
    const objection =
      judgeExpansion(word, { isText, limited: rule.maxOperands !== undefined, safe: rule.globSafe === true || index >= exposed }) ??
      (isText && !word.glob && !word.tilde ? undefined : judgePathWord(word, access));
    if (objection) return objection;
  }
  return undefined;
}

function judgeExpansion(word: Word, place: { isText: boolean; limited: boolean; safe: boolean }): Objection {
  if (!word.glob) return undefined;
  if ((place.isText || place.limited) && !place.safe) return `${JSON.stringify(word.text)} may expand to several words; put it in quotes`;
  if (place.limited) return `${JSON.stringify(word.text)} may expand to more arguments than were reviewed`;
  if (!place.safe && /^[*?[]/.test(word.text))
    return `${JSON.stringify(word.text)} can match a file whose name looks like an option; write ./ in front`;
  return undefined;
}
