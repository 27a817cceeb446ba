import type { Word } from "./decode-word.ts";

/** How an option takes its value: `path` values are judged as paths that are read. */
type OptionKind = "flag" | "text" | "path" | "optional";
export type OptionTable = ReadonlyMap<string, OptionKind>;

/**
 * Reads a list of reviewed options: `-l --all` take nothing, `-n= --lines=` a text, `-f=path` a path that is read,
 * `--color?` an optional value after `=`.
 */
export function optionTable(list: string): OptionTable {
  const entries = list
    .split(/\s+/)
    .filter(Boolean)
    .map((entry): [string, OptionKind] => {
      const [, name = entry, suffix = ""] = /^(.+?)(=path|=|\?)?$/.exec(entry) ?? [];
      return [name, suffix === "=path" ? "path" : suffix === "=" ? "text" : suffix === "?" ? "optional" : "flag"];
    });
  return new Map(entries);
}

export interface ScannedArguments {
  readonly options: readonly { readonly name: string; readonly kind: OptionKind; readonly value?: Word }[];
  readonly operands: readonly Word[];
  /** Number of operands that stand before `--`, where a word that expands could become an option. */
  readonly exposed: number;
}

export interface ScanRules {
  readonly options: OptionTable;
  /** `-5` is an option. */
  readonly numbers?: boolean | undefined;
  /** Nothing after the first operand is an option. */
  readonly stopAtOperand?: boolean | undefined;
}

/** Splits arguments into reviewed options and operands, or says which argument is not reviewed. Abbreviations are not. */
export function scanArguments(words: readonly Word[], rules: ScanRules): ScannedArguments | string {
  const options: ScannedArguments["options"][number][] = [];
  const operands: Word[] = [];
  let exposed: number | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (exposed !== undefined || word.text === "-" || !word.text.startsWith("-")) {
      operands.push(word);
      if (rules.stopAtOperand) exposed ??= operands.length;
    } else if (word.text === "--") {
      exposed = operands.length;
    } else {
      const read = readOption(word, words[at + 1], rules);
      if (typeof read === "string") return read;
      options.push(...read.options);
      at += read.taken;
    }
  }
  return { options, operands, exposed: exposed ?? operands.length };
}

interface OptionsRead {
  readonly options: ScannedArguments["options"];
  /** 1 when the next word was the value. */
  readonly taken: 0 | 1;
}

function readOption(word: Word, next: Word | undefined, rules: ScanRules): OptionsRead | string {
  const { text } = word;
  if (word.glob && !/^--[a-z-]+=[^*?[]*[*?[]/.test(text)) return `${JSON.stringify(text)} may expand to other options`;
  if (rules.numbers && /^-\d+$/.test(text)) return { options: [{ name: text, kind: "flag" }], taken: 0 };
  // go writes its long options with one dash: -run=Name.
  const isLong = text.startsWith("--") || rules.options.has(text) || rules.options.has(/^-[a-z]{2,}(?==)/.exec(text)?.[0] ?? "");
  if (isLong) return readLongOption(word, next, rules.options);
  return readShortOptions(word, next, rules.options);
}

function readLongOption(word: Word, next: Word | undefined, table: OptionTable): OptionsRead | string {
  const equals = table.has(word.text) ? -1 : word.text.indexOf("=");
  const name = equals < 0 ? word.text : word.text.slice(0, equals);
  const kind = table.get(name);
  if (!kind) return `the option ${JSON.stringify(name)} is not on the reviewed list`;
  if (equals >= 0) {
    if (kind === "flag") return `the option ${name} takes no value`;
    return { options: [{ name, kind, value: { ...word, text: word.text.slice(equals + 1) } }], taken: 0 };
  }
  if (kind === "flag" || kind === "optional") return { options: [{ name, kind }], taken: 0 };
  return takeNext({ name, kind }, next);
}

function takeNext(option: { name: string; kind: OptionKind }, next: Word | undefined): OptionsRead | string {
  if (!next) return `the option ${option.name} has no value`;
  if (next.glob) return `the value of ${option.name} may expand to several words; put it in quotes`;
  return { options: [{ ...option, value: next }], taken: 1 };
}

/** Letters behind one dash: flags until one that takes a value, which is the rest of the word or the next one. */
function readShortOptions(word: Word, next: Word | undefined, table: OptionTable): OptionsRead | string {
  const options: ScannedArguments["options"][number][] = [];
  for (let at = 1; at < word.text.length; at++) {
    const name = `-${word.text[at]}`;
    const kind = table.get(name);
    if (!kind) return `the option ${JSON.stringify(name)} is not on the reviewed list`;
    const rest = word.text.slice(at + 1);
    if (kind === "flag") options.push({ name, kind });
    else if (rest !== "" || kind === "optional") return { options: [...options, { name, kind, value: { ...word, text: rest } }], taken: 0 };
    else {
      const taken = takeNext({ name, kind }, next);
      return typeof taken === "string" ? taken : { options: [...options, ...taken.options], taken: 1 };
    }
  }
  return { options, taken: 0 };
}
