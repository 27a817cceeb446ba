import { findInnermost } from "../targets/path-text.ts";

/** What the absolute paths of a line name. */
export interface KnownFolders {
  /** Absolute paths of the workspace: what lies below one of them is a path of the workspace. Default: none is known. */
  readonly roots?: Roots;
  /** Folders beside the workspace that the operator opens. Default: none. */
  readonly opened?: readonly OpenedFolder[];
}

/** One word of a command after quote removal. */
export interface Word extends KnownFolders {
  readonly text: string;
  /** True when an unquoted `*`, `?` or `[` can make other words of it. */
  readonly glob: boolean;
  /** True when an unquoted `~` stands where the shell replaces it by a home folder. */
  readonly tilde: boolean;
  /** True when quotes or escapes stand inside the word, not just around the whole of it. */
  readonly splitQuotes: boolean;
  /** True when an exit status stands in it (`$?`, `$PIPESTATUS`): digits that are known once it runs. */
  readonly status?: boolean;
  /** True for one of the words that braces make. */
  readonly braced?: boolean;
}

/** A folder beside the workspace, absolute and without a slash at its end, that the operator opens; all below it is open too. */
export interface OpenedFolder {
  readonly path: string;
  readonly access: "read" | "write";
}

export type Roots = readonly string[] | undefined;

/** The word, with what its absolute path may name. */
export function setFolders(word: Word, { roots, opened }: KnownFolders): Word {
  return roots || opened ? { ...word, ...(roots && { roots }), ...(opened && { opened }) } : word;
}

/** The path that a word names in the workspace, "." for the workspace itself, where it begins with an absolute path of it; undefined for any other. */
export function pathFromRoot({ text, glob, tilde, roots }: Word): string | undefined {
  if (!roots || tilde || !text.startsWith("/")) return undefined;
  for (const root of roots) {
    if (glob && /[*?[]/.test(root)) continue;
    if (text === root) return ".";
    if (text.startsWith(`${root}/`)) return text.slice(root.length).replace(/^\/+/, "") || ".";
  }
  return undefined;
}

/** The path that a word names in a folder beside the workspace that the operator opens, and that folder; undefined for any other. */
export function pathInOpened({ text, glob, tilde, opened }: Word): (OpenedFolder & { readonly below: string }) | undefined {
  if (!opened || tilde || !text.startsWith("/")) return undefined;
  const found = findInnermost(text, glob ? opened.filter(({ path }) => !/[*?[]/.test(path)) : opened);
  return found && { ...found, below: text.slice(found.path.length).replace(/^\/+/, "") || "." };
}

/** The words, with paths of the workspace relative to it. */
export function fromRoot(argv: readonly Word[]): readonly Word[] {
  if (argv.every((word) => pathFromRoot(word) === undefined)) return argv;
  return argv.map((word) => ({ ...word, text: pathFromRoot(word) ?? word.text }));
}

/** A construct outside the subset of the shell that is judged; whoever meets it must ask, or refuse what is no shell at all. */
export class NotUnderstood extends Error {
  readonly effect: "ask" | "deny";

  constructor(message: string, effect: "ask" | "deny" = "ask") {
    super(message);
    this.effect = effect;
  }
}

const plainWord = /^[A-Za-z0-9_@%+=:,./-]+$/;
const plainCharacter = /[A-Za-z0-9_@%+=:,./\-\]!^~#]|[^\p{ASCII}]/u;
/** No comma and no two dots inside: the shell takes these braces literally. */
const literalBraces = /^\{[A-Za-z0-9_-]*\}/;
/** Behind a dollar in double quotes, these begin no expansion. */
const isPlainAfterDollar = /^["| /\\),.:;%^&+=~<>'\]]$/;
const wholeQuotes = /^(?:'[^']*'|"[^"\\]*")$/;

/** Values of the variables that a line sets itself, in plain characters. */
export type Variables = ReadonlyMap<string, string>;

const setsVariables: ReadonlySet<string> = new Set(
  "read mapfile readarray getopts export declare typeset local readonly unset let eval source . vared set shift".split(" "),
);

/** True for a builtin that may set a variable, also behind `command` and `builtin`. */
export function setsVariable(argv: readonly Word[]): boolean {
  const [name = "", ...words] = argv.map(({ text }) => text).filter((text, at) => at > 0 || !/^(?:command|builtin)$/.test(text));
  return setsVariables.has(name) || (name === "printf" && words.some((word) => word.startsWith("-v")));
}

/**
 * Removes quotes from the raw text of one word, and puts the values of variables in. Anything but plain characters, quotes, escapes, globs, exit
 * statuses and these variables throws `NotUnderstood`.
 */
export function decodeWord(raw: string, variables?: Variables): Word {
  if (plainWord.test(raw)) return { text: raw, glob: false, tilde: false, splitQuotes: false };
  const state: State = { text: "", glob: false, tilde: false, status: false, variables };
  for (let at = 0; at < raw.length; ) at = decodeAt(raw, at, state);
  const { text, glob, tilde, status } = state;
  return { text, glob, tilde, splitQuotes: /['"\\]/.test(raw) && !wholeQuotes.test(raw), ...(status && { status }) };
}

interface State {
  text: string;
  glob: boolean;
  tilde: boolean;
  status: boolean;
  readonly variables: Variables | undefined;
}

const statusOf = /\$(?:\?|PIPESTATUS(?!\w)|\{(?:\?|PIPESTATUS(?:\[(?:\d+|[@*])\])?)\})/y;
const variable = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y;

/** Reads an exit status or a variable that has a value; undefined for any other expansion. */
function decodeExpansion(raw: string, at: number, state: State): number | undefined {
  statusOf.lastIndex = at;
  const [status] = statusOf.exec(raw) ?? [];
  if (status !== undefined) {
    state.status = true;
    state.text += status;
    return at + status.length;
  }
  variable.lastIndex = at;
  const [written, plain, braced] = variable.exec(raw) ?? [];
  const value = written === undefined ? undefined : state.variables?.get(plain ?? braced ?? "");
  if (written === undefined || value === undefined) return undefined;
  state.text += value;
  return at + written.length;
}

/**
 * The text of `"$(cat <<'END' ... END)"`, the usual way to write a long text as one word: nothing in it expands, and cat prints
 * it as it is. Undefined for any other word.
 */
export function decodeQuotedDocument(raw: string): Word | undefined {
  const marker = /^"\$\(cat <<'(\w+)'\n/.exec(raw);
  if (!marker) return undefined;
  const lines = raw.slice(marker[0].length).split("\n");
  const end = lines.indexOf(marker[1] as string);
  if (end < 0 || !/^[ \t]*\)"$/.test(lines.slice(end + 1).join("\n"))) return undefined;
  const text = lines
    .slice(0, end)
    .join("\n")
    .replace(/(?<!\n)\n+$/, "");
  return { text, glob: false, tilde: false, splitQuotes: false };
}

function decodeAt(raw: string, at: number, state: State): number {
  const character = raw[at] as string;
  const add = (text: string, end: number) => {
    state.text += text;
    return end;
  };
  switch (character) {
    case "'": {
      const end = raw.indexOf("'", at + 1);
      if (end < 0) throw new NotUnderstood("a quote is not closed");
      return add(raw.slice(at + 1, end), end + 1);
    }
    case '"':
      return decodeDoubleQuotes(raw, at + 1, state);
    case "\\": {
      const next = raw[at + 1];
      if (next === undefined || next === "\n") throw new NotUnderstood("a line is continued with a backslash");
      return add(next, at + 2);
    }
    case "{": {
      const braces = literalBraces.exec(raw.slice(at));
      if (!braces) throw new NotUnderstood("braces may expand to several words");
      return add(braces[0], at + braces[0].length);
    }
    case "*":
    case "?":
      state.glob = true;
      return add(character, at + 1);
    case "[":
      state.glob ||= raw.includes("]", at);
      return add(character, at + 1);
    default:
      return decodePlain(raw, at, state);
  }
}

function decodePlain(raw: string, at: number, state: State): number {
  const character = raw[at] as string;
  const end = character === "$" ? decodeExpansion(raw, at, state) : undefined;
  if (end !== undefined) return end;
  // A dollar at the end of a word begins nothing; `!$` is a word of an earlier line to interactive shells.
  const begins = character === "$" && (at < raw.length - 1 || raw[at - 1] === "!");
  if (begins || character === "`") throw new NotUnderstood("a variable or a substitution decides what runs");
  if ((!plainCharacter.test(character) && character !== "$") || (character === "#" && at === 0)) {
    throw new NotUnderstood(`${JSON.stringify(character)} stands where only plain text is understood`);
  }
  if (character === "~" && (at === 0 || raw[at - 1] === "=" || raw[at - 1] === ":")) state.tilde = true;
  state.text += character;
  return at + 1;
}

function decodeDoubleQuotes(raw: string, start: number, state: State): number {
  const add = (text: string, end: number) => {
    state.text += text;
    return end;
  };
  for (let at = start; at < raw.length; ) {
    const character = raw[at] as string;
    const next = raw[at + 1] ?? "";
    if (character === '"') return at + 1;
    const expanded = character === "$" ? decodeExpansion(raw, at, state) : undefined;
    if (expanded !== undefined) {
      at = expanded;
      continue;
    }
    if (character === "`" || (character === "$" && !isPlainAfterDollar.test(next))) {
      throw new NotUnderstood("a variable or a substitution decides what runs");
    }
    if (character === "\\" && next === "\n") throw new NotUnderstood("a line is continued with a backslash");
    at = character === "\\" && '$`"\\'.includes(next) && next !== "" ? add(next, at + 2) : add(character, at + 1);
  }
  throw new NotUnderstood("a quote is not closed");
}

/** Folders that only the machine's owner writes. */
const trusted = /^\/(?:usr\/)?(?:local\/)?s?bin\/([^/]+)$/;

/** The name under which rules know a program: the last part of a trusted absolute path, else the word itself. */
export function resolveProgram(text: string): string {
  return trusted.exec(text)?.[1] ?? text;
}

/** The argv as rules see it. */
export function resolveArgv(argv: readonly Word[]): readonly Word[] {
  const [first, ...rest] = argv;
  return first ? [{ ...first, text: resolveProgram(first.text) }, ...rest] : argv;
}

/** The last part of a program's path: denials hold wherever the program lies. */
export function baseName(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}
