import type { Word } from "../words/decode-word.ts";
import type { NamedFile } from "./destination.ts";

/** What an option means for where a command reaches. `lists` names a file whose words count as arguments. */
type OptionUse = "flag" | "text" | "target" | "diverts" | "read" | "write" | "lists" | "contents" | "form";

interface NetworkOption {
  readonly use: OptionUse;
  readonly takesValue: boolean;
}

export type NetworkOptions = ReadonlyMap<string, NetworkOption>;

const suffixes: Readonly<Record<string, NetworkOption>> = {
  "": { use: "flag", takesValue: false },
  "!": { use: "diverts", takesValue: false },
  "=": { use: "text", takesValue: true },
  "=!": { use: "diverts", takesValue: true },
  "=url": { use: "target", takesValue: true },
  "=read": { use: "read", takesValue: true },
  "=write": { use: "write", takesValue: true },
  "=list": { use: "lists", takesValue: true },
  "=@": { use: "contents", takesValue: true },
  "=form": { use: "form", takesValue: true },
};

/**
 * Reads a list of options: `-s` takes nothing, `-m=` a text, `--url=url` a destination, `-T=read` and `-o=write` a file, `-K=list` a file of
 * further arguments, `-d=@` a text or `@file`, `-F=form` a field that may hold `=@file`. With `!` it sends the command elsewhere than its
 * words say.
 */
export function networkOptions(list: string): NetworkOptions {
  const entries = list
    .split(/\s+/)
    .filter(Boolean)
    .map((entry): [string, NetworkOption] => {
      const [, name = entry, suffix = ""] = /^(.+?)(!|=(?:!|@|[a-z]+)?)?$/.exec(entry) ?? [];
      const option = suffixes[suffix];
      if (!option) throw new Error(`The option ${entry} of a reviewed program has a suffix that there is not.`);
      return [name, option];
    });
  return new Map(entries);
}

export interface ScannedNetwork {
  readonly operands: readonly Word[];
  readonly options: readonly { readonly name: string; readonly value?: Word }[];
  /** Values that are destinations. */
  readonly targets: readonly Word[];
  readonly files: readonly NamedFile[];
  /** Why the words do not say everything, as ends of sentences. */
  readonly doubts: readonly string[];
  /** Why options that are not reviewed leave doubts, as ends of sentences. */
  readonly unreviewed: readonly string[];
  /** Words that may be the values of those. */
  readonly skipped: readonly Word[];
}

interface Scan {
  readonly operands: Word[];
  readonly options: { readonly name: string; readonly value?: Word }[];
  readonly targets: Word[];
  readonly files: NamedFile[];
  readonly doubts: string[];
  readonly unreviewed: string[];
  readonly skipped: Word[];
}

/** Splits arguments by the reviewed options. What is not reviewed leaves a doubt, and all other words still count. */
export function scanNetworkOptions(words: readonly Word[], options: NetworkOptions, most = Number.POSITIVE_INFINITY): ScannedNetwork {
  const scan: Scan = { operands: [], options: [], targets: [], files: [], doubts: [], unreviewed: [], skipped: [] };
  let ended = false;
  for (let at = 0; at < words.length && scan.operands.length < most; at++) {
    const word = words[at] as Word;
    if (word.text === "--" && !ended) ended = true;
    else if (ended || word.text === "-" || !word.text.startsWith("-")) scan.operands.push(word);
    else at += readOption(word, words[at + 1], { scan, options });
  }
  return scan;
}

interface Place {
  readonly scan: Scan;
  readonly options: NetworkOptions;
}

/** How many further words it took. */
function readOption(word: Word, next: Word | undefined, place: Place): 0 | 1 {
  const { text } = word;
  if (word.glob && !/^--?[A-Za-z][\w-]*=/.test(text)) place.scan.doubts.push(`${JSON.stringify(text)} may expand to other options`);
  if (text.startsWith("--") || place.options.has(text)) return readLong(word, next, place);
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`;
    const option = place.options.get(name);
    if (!option) return doubt(name, next, place);
    if (option.takesValue)
      return take({ name, option }, text.slice(at + 1) ? { ...word, text: text.slice(at + 1) } : undefined, { next, place });
    use(name, option, place.scan);
  }
  return 0;
}

function readLong(word: Word, next: Word | undefined, place: Place): 0 | 1 {
  const equals = word.text.startsWith("--") ? word.text.indexOf("=") : -1;
  const name = equals < 0 ? word.text : word.text.slice(0, equals);
  const option = place.options.get(name) ?? (name.startsWith("--no-") ? place.options.get(`--${name.slice(5)}`) : undefined);
  if (!option) return doubt(name, equals < 0 ? next : undefined, place);
  const given = equals < 0 ? undefined : { ...word, text: word.text.slice(equals + 1) };
  if (option.takesValue) return take({ name, option }, given, { next, place });
  use(name, option, place.scan);
  return 0;
}

/** The next word may be its value, so it only counts when it is a URL. */
function doubt(name: string, next: Word | undefined, { scan }: Place): 0 | 1 {
  scan.unreviewed.push(`its option ${JSON.stringify(name)} is not reviewed`);
  if (next === undefined || next.text.startsWith("-") || /:\/\//.test(next.text)) return 0;
  scan.skipped.push(next);
  return 1;
}

function take(
  { name, option }: { name: string; option: NetworkOption },
  given: Word | undefined,
  { next, place }: { next: Word | undefined; place: Place },
): 0 | 1 {
  const value = given ?? next;
  if (!value) return 0;
  if (value.glob && !given) place.scan.doubts.push(`the value of ${name} may expand to several words`);
  use(name, option, place.scan, value);
  return given ? 0 : 1;
}

function use(name: string, option: NetworkOption, scan: Scan, value?: Word): void {
  scan.options.push({ name, ...(value && { value }) });
  const text = value?.text ?? "";
  switch (option.use) {
    case "target":
      if (value) scan.targets.push(value);
      if (text.startsWith("@")) scan.files.push({ path: text.slice(1), access: "read" });
      return;
    case "diverts":
      scan.doubts.push(`its option ${JSON.stringify(name)} can send it elsewhere`);
      return;
    case "lists":
      scan.doubts.push(`its option ${JSON.stringify(name)} takes more from the file ${JSON.stringify(text)}`);
      addFile(text, "read", scan);
      return;
    case "read":
    case "write":
      addFile(text, option.use, scan);
      return;
    case "contents":
      if (text.includes("@")) addFile(text.slice(text.indexOf("@") + 1), "read", scan, text.startsWith("@") || name === "--data-urlencode");
      return;
    case "form": {
      const file = /=\(?[@<]([^;,]*)/.exec(text)?.[1];
      if (file !== undefined) addFile(file.replace(/^"|"$/g, ""), "read", scan);
      return;
    }
    default:
  }
}

function addFile(path: string, access: NamedFile["access"], scan: Scan, isFile = true): void {
  if (isFile && path !== "" && path !== "-" && path !== "/dev/null") scan.files.push({ path, access });
}
