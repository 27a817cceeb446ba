import { type Command, type ParsedScript, parse } from "unbash";
import { baseName, decodeWord, type KnownFolders, NotUnderstood, resolveProgram, type Word } from "../words/decode-word.ts";
import { scanArguments } from "../words/scan-arguments.ts";
import type { SplitCommand } from "./find-clauses.ts";
import { type Assignment, flattenScript, type SimpleCommand } from "./flatten-script.ts";
import { hasOpenDocument, nodesOf } from "./script-nodes.ts";
import { shells, splitters, type Wrapper, wrappers } from "./wrappers.ts";

/** A command line, read and unwrapped once for all tiers. */
export type LineAnalysis =
  | { readonly ok: true; readonly commands: readonly InnerCommand[] }
  | { readonly ok: false; readonly effect: "ask" | "deny"; readonly reason: string };

/** Reads a command line and takes the wrappers (`env`, `timeout`, `xargs`, `sh -c`) off each of its commands; never throws. */
export function analyseLine(text: string, places: KnownFolders = {}): LineAnalysis {
  const reading = readLine(text, places);
  if (!reading.ok) return reading;
  try {
    return { ok: true, commands: reading.commands.flatMap(unwrapCommand) };
  } catch (error) {
    const { message: why, effect } = error instanceof NotUnderstood ? error : new NotUnderstood("it could not be analysed");
    return { ok: false, effect, reason: `This command line cannot be analysed: ${why}.` };
  }
}

/** A command with nothing around it. */
export interface InnerCommand extends SimpleCommand {
  /** The argv of every wrapper around it, outermost first, and its own last. */
  readonly levels: readonly (readonly Word[])[];
  /** Words from standard input are added to it (xargs). */
  readonly appended: boolean;
}

const maxDepth = 5;

/**
 * Takes wrappers off a command, for check, grant and display alike. A wrapper that is used in a way that is not reviewed
 * stays, and is judged as the program it is. Throws `NotUnderstood` when the depth limit is reached.
 */
export function unwrapCommand(command: SimpleCommand): readonly InnerCommand[] {
  return unwrap({ ...command, levels: [command.argv], appended: command.substituted === true }, 0);
}

function unwrap(command: InnerCommand, depth: number): readonly InnerCommand[] {
  if (depth > maxDepth) throw new NotUnderstood(`programs that run programs are nested deeper than ${maxDepth} levels`);
  const name = command.argv[0];
  if (!name || name.glob || name.tilde) return [command];
  const program = resolveProgram(name.text);
  if (shells.has(program)) return readShellText(command, depth) ?? [command];
  const parts = splitters.get(program)?.(command.argv);
  if (parts && !command.appended) return takeApart(command, parts, depth);
  const wrapper = wrappers.get(program);
  const inner = wrapper && removeWrapper(command, wrapper);
  return inner ? unwrap(inner, depth + 1) : [command];
}

function takeApart(command: InnerCommand, parts: SplitCommand, depth: number): readonly InnerCommand[] {
  const own = { ...command, argv: parts.own, levels: [...command.levels, parts.own] };
  const inner = parts.inner.flatMap((argv) =>
    unwrap({ ...command, argv, levels: [...command.levels, argv], appended: true, pipedFrom: own }, depth + 1),
  );
  return [own, ...inner];
}

function removeWrapper(command: InnerCommand, wrapper: Wrapper): InnerCommand | undefined {
  const words = command.argv.slice(1);
  const scanned = scanArguments(words, { options: wrapper.options, numbers: wrapper.numbers, stopAtOperand: true });
  if (typeof scanned === "string" || scanned.options.some((option) => option.value?.tilde)) return undefined;
  const rest = [...scanned.operands];
  const assignments: Assignment[] = [...command.assignments];
  while (wrapper.assignments && rest[0] && /^[^=]+=/.test(rest[0].text)) assignments.push(readAssignment(rest.shift() as Word));
  for (const shape of wrapper.before ?? []) {
    const word = rest.shift();
    if (!word || !shape.test(word.text)) return undefined;
  }
  if (rest.length === 0) return undefined;
  return { ...command, argv: rest, assignments, levels: [...command.levels, rest], appended: command.appended || wrapper.appends === true };
}

function readAssignment(word: Word): Assignment {
  const at = word.text.indexOf("=");
  return { name: word.text.slice(0, at), value: { ...word, text: word.text.slice(at + 1) } };
}

/** `sh -c TEXT` and nothing more. */
function readShellText(command: InnerCommand, depth: number): readonly InnerCommand[] | undefined {
  const [, flag, text, ...more] = command.argv;
  if (flag?.text !== "-c" || !text || text.glob || text.tilde || more.length > 0 || command.appended) return undefined;
  const reading = readLine(text.text, text);
  if (!reading.ok) throw new NotUnderstood("the text that a shell is given with -c is not understood", reading.effect);
  return reading.commands.flatMap((inner) =>
    unwrap(
      {
        ...inner,
        assignments: [...command.assignments, ...inner.assignments],
        redirects: [...command.redirects, ...inner.redirects],
        pipedFrom: inner.pipedFrom ?? command.pipedFrom,
        levels: [...command.levels, inner.argv],
        leads: false,
        appended: false,
      },
      depth + 1,
    ),
  );
}

/** What a command line says, or why nothing certain can be said. `deny`: a person could not judge the text either. */
type LineReading =
  | { readonly ok: true; readonly commands: readonly SimpleCommand[] }
  | { readonly ok: false; readonly effect: "ask" | "deny"; readonly reason: string };

/** Most simple commands in one line; more of them ask, none is skipped. */
export const maxCommands = 64;
/** Most words in one line. */
export const maxWords = 2_048;

/**
 * Reads a command line as simple commands. Only a strict subset of the shell is read; everything else, and every
 * failure inside the parser, is `ok: false`.
 */
export function readLine(text: string, places: KnownFolders = {}, parseText: (source: string) => ParsedScript = parse): LineReading {
  const unreadable = findUnreadable(text);
  if (unreadable !== undefined) return { ok: false, effect: "deny", reason: `The command cannot be judged: ${unreadable}.` };
  try {
    const source = joinContinuedLines(text);
    const script = parseText(source);
    const error = script.errors?.[0];
    if (error)
      return { ok: false, effect: "deny", reason: `The command is not well-formed shell: ${error.message} at character ${error.pos + 1}.` };
    if (source.includes("<<") && hasOpenDocument(script))
      return {
        ok: false,
        effect: "deny",
        reason: "The command holds a here-document without the line that ends it; end it by its marker alone on a line.",
      };
    if (script.commands.length > maxCommands) throw new NotUnderstood(`it holds more than ${maxCommands} commands`);
    const commands = flattenNamed(script, source, places);
    if (commands.length === 0) return { ok: false, effect: "deny", reason: "The command holds nothing that runs." };
    if (commands.length > maxCommands) throw new NotUnderstood(`it holds more than ${maxCommands} commands`);
    const words = commands.reduce((count, { argv }) => count + argv.length, 0);
    if (words > maxWords) throw new NotUnderstood(`it holds more than ${maxWords} words`);
    return confirmNames(commands);
  } catch (error) {
    const { message, effect }: NotUnderstood = error instanceof NotUnderstood ? error : new NotUnderstood("the parser failed on it");
    return { ok: false, effect, reason: `This command line cannot be analysed: ${message}.` };
  }
}

/** What is not understood is refused, and not asked about, when a pattern decides what it runs. */
function flattenNamed(script: ParsedScript, source: string, places: KnownFolders): readonly SimpleCommand[] {
  try {
    return flattenScript(script, source, places);
  } catch (error) {
    const unnamed = findUnnamedInScript(script, source);
    throw unnamed === undefined ? error : new NotUnderstood(`${unnamed.replace(/\.$/, "")}; name the file`, "deny");
  }
}

function confirmNames(commands: readonly SimpleCommand[]): LineReading {
  const strange = commands.find((command) => /[^\n\t -~]/.test(command.argv[0]?.text ?? ""));
  if (strange)
    return { ok: false, effect: "deny", reason: "A program's name holds characters that are not ASCII and may look like others." };
  return { ok: true, commands };
}

/** Longest command line that is judged, in UTF-16 units. */
const maxCommandLength = 32_768;

/** Everything that shows as nothing or as a blank, moves the cursor or turns the order of letters, but space, tab and newline. */
const unreadable = /(?![ \t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}\u{fffc}]/u;
/** U+200D and U+FE0F make one picture out of several, and are invisible anywhere else. */
const emojiJoins =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{fe0f})\u{200d}(?=\p{Extended_Pictographic})|(?<=\p{Emoji})\u{fe0f}/gu;
const lookAlike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const ascii = /^[\n\t -~]*$/;

/** Says why a person could not judge this text, or undefined when it can be read. */
function findUnreadable(text: string): string | undefined {
  if (text.trim() === "") return "it is blank";
  if (text.length > maxCommandLength) return `it is longer than ${maxCommandLength} characters`;
  if (ascii.test(text)) return undefined;
  const hidden = unreadable.exec(text.replace(emojiJoins, ""));
  if (hidden)
    return `it holds the invisible or control character U+${hidden[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
  return hasMixedWord(text) ? "it mixes letters of two alphabets in one word, which look alike" : undefined;
}

function hasMixedWord(text: string): boolean {
  return (text.match(/\p{L}+/gu) ?? []).some((letters) => lookAlike.test(letters) && /\p{Script=Latin}/u.test(letters));
}

/** Begins a construct whose inside is read by other rules; whether a line is continued there is not told here. */
const opaque = /[$`]|<</y;
const blank = /^[ \t\n]?$/;
/** Between these, nothing that a blank could part is one token of the shell. */
const operatorEnd = /^[;|&(]$/;
const wordStart = /^[A-Za-z0-9_./'"-]$/;
const beforeComment = /^[\s;|&()<>]?$/;
const doubleQuoted = /"(?:[^"\\$`]|\\[\s\S])*"/y;

/**
 * The text with every backslash at the end of a line, where it stands between words, as two blanks: to the shell it is no more than
 * that, and positions stay as they are. Inside a word, quotes, comments and here-documents it stays. Nothing is joined after the first
 * that stays, nor from the first `$`, backtick or `<<` on.
 */
export function joinContinuedLines(text: string): string {
  if (!text.includes("\\\n")) return text;
  let joined = "";
  let before = "";
  for (let at = 0; at < text.length; ) {
    const end = matchesAt(opaque, text, at) ? undefined : endOfPart(text, at, before);
    const part = text.slice(at, end);
    const isContinued = part === "\\\n";
    if (end === undefined || (isContinued && !isBetweenWords(before, text[end] ?? ""))) return joined + text.slice(at);
    joined += isContinued ? "  " : part;
    // A blank that is escaped or in quotes parts no words: such parts are longer than it.
    before = isContinued ? " " : part;
    at = end;
  }
  return joined;
}

function isBetweenWords(before: string, after: string): boolean {
  return blank.test(before) || blank.test(after) || (operatorEnd.test(before) && wordStart.test(after));
}

/** End of the quoted text, escape, comment or character that begins here; undefined when it has none that is certain. */
function endOfPart(text: string, at: number, before: string): number | undefined {
  switch (text[at]) {
    case "\\":
      return at + 2;
    case "'": {
      const end = text.indexOf("'", at + 1);
      return end < 0 ? undefined : end + 1;
    }
    case '"':
      return matchesAt(doubleQuoted, text, at) ? doubleQuoted.lastIndex : undefined;
    case "#": {
      if (!beforeComment.test(before)) return at + 1;
      const end = text.indexOf("\n", at);
      return end < 0 ? text.length : end;
    }
    default:
      return at + 1;
  }
}

function matchesAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

/**
 * Programs that run the file which their first operand names, with the options after which their operands are something else: code
 * that is written out, a module, files of tests. `verb`: a first operand that is no file.
 */
const runners: ReadonlyMap<string, { readonly otherwise: RegExp; readonly verb?: string }> = new Map(
  Object.entries({
    "sh bash dash ash zsh ksh mksh fish csh tcsh": { otherwise: /^-[a-z]*c$|^--command$/ },
    "source .": { otherwise: /^$/ },
    "node nodejs tsx ts-node": { otherwise: /^-[a-z]*[ep]$|^--(?:eval|print|test|check|run|watch-path)\b|^-c$/ },
    "deno bun": { otherwise: /^-[ep]$|^--(?:eval|print)$/, verb: "run" },
    "python pypy": { otherwise: /^-[A-Za-z]*[cm]$/ },
    ruby: { otherwise: /^-[a-z]*e$/ },
    perl: { otherwise: /^-[a-zA-Z]*[eE]$/ },
    php: { otherwise: /^-[rR]$|^-l$/ },
    "lua luajit": { otherwise: /^-e$/ },
    "tclsh wish osascript Rscript julia groovy pwsh": { otherwise: /^-[ec]$|^-Command$/i },
  } satisfies Record<string, { readonly otherwise: RegExp; readonly verb?: string }>).flatMap(([names, how]) =>
    names.split(" ").map((name) => [name, how] as const),
  ),
);
/** Behind an option, a word that is no such thing may be its value. */
const fileLike = /\/|\.\w+$/;

/** Says that a pattern stands where the file to be run is named: what runs is then decided by the names in a folder, not by the text. */
export function findUnnamedCode({ argv, redirects }: Pick<SimpleCommand, "argv" | "redirects">): string | undefined {
  const [name] = argv;
  if (!name) return undefined;
  if (name.glob) return `The program is named by the pattern ${JSON.stringify(name.text)}, so what runs is not certain.`;
  const runs = argv.findIndex(
    (word, at) => runnerOf(word) && (argv.slice(0, at).every(mayWrap) || startsCommand.test(argv[at - 1]?.text ?? "")),
  );
  const runner = argv[runs];
  if (!runner) return undefined;
  const fed = redirects.find((redirect) => redirect.kind === "read" && redirect.target.glob);
  const pattern = findScriptPattern(runner, argv.slice(runs + 1)) ?? (fed && "target" in fed ? fed.target : undefined);
  if (pattern?.braced) return `Braces name the file that ${runner.text} runs. Write its name out.`;
  return pattern && `${runner.text} runs what the pattern ${JSON.stringify(pattern.text)} matches, so what runs is not certain.`;
}

/** As `findUnnamedCode`, of every command in a line that is not understood as a whole. */
function findUnnamedInScript(script: ParsedScript, source: string): string | undefined {
  for (const node of nodesOf(script)) {
    if (node.type !== "Command") continue;
    const { name, suffix } = node as unknown as Command;
    const words = [...(name ? [name] : []), ...suffix.filter(({ type }) => type === "Word")];
    const found = findUnnamedCode({ argv: words.map(({ pos, end }) => readGenerously(source.slice(pos, end))), redirects: [] });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Braces that expand count as a pattern; what else is not understood counts as text. */
function readGenerously(raw: string): Word {
  try {
    return decodeWord(raw);
  } catch {
    return { text: raw, glob: mayBeBraces(raw), tilde: false, splitQuotes: true };
  }
}

function mayBeBraces(raw: string): boolean {
  const [plain] = /^[^'"$`\\]*/.exec(raw)!;
  const [open, close] = [plain.indexOf("{"), plain.lastIndexOf("}")];
  return open !== -1 && open < close && /,|\.\./.test(plain.slice(open, close));
}

/** Words that stand before the command which they run: programs, their options, and values. */
const mayWrap = ({ text }: Word) => /^(?:-.*|[\d.]+[smhd]?|[A-Za-z_]\w*=.*)$/.test(text) || wrapping.has(baseName(text));
const wrapping: ReadonlySet<string> = new Set(
  "env nice timeout nohup stdbuf time command exec builtin xargs sudo doas setsid ionice chrt taskset unbuffer".split(" "),
);
/** Options of find and its kin before a command. */
const startsCommand = /^-(?:exec|ok)(?:dir)?$/;

const runnerOf = ({ text }: Word) => runners.get(baseName(text)) ?? runners.get(baseName(text).replace(/(?<![\d.])[\d.]+$/, ""));

function findScriptPattern(name: Word, words: readonly Word[]): Word | undefined {
  const how = runnerOf(name);
  if (!how) return undefined;
  let behindOption = false;
  for (const [index, word] of words.entries()) {
    if (word.glob || word.braced) return word;
    if (how.otherwise.test(word.text)) return undefined;
    const isOption = /^[-+]./.test(word.text);
    const mayBeValue = (behindOption && !fileLike.test(word.text)) || (index === 0 && word.text === how.verb);
    if (!isOption && !mayBeValue) return undefined;
    behindOption = isOption && word.text !== "--";
  }
  return undefined;
}
