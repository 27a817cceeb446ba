import type {
  Command,
  CommandNode,
  HereDoc,
  ParsedScript,
  PipelineNode,
  Redirected,
  Redirection,
  Statement,
  Word as WordNode,
} from "unbash";
import { baseName, decodeQuotedDocument, decodeWord, NotUnderstood, type Roots, type Word } from "../words/decode-word.ts";
import { nodesOf } from "./script-nodes.ts";

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}
/** `text` is data from a here-document or here-string; `duplicate` joins descriptors. */
export type Redirect = { readonly kind: "read" | "write"; readonly target: Word } | { readonly kind: "text" | "duplicate" };

/** One simple command of a line: what runs when the shell has done its part. */
export interface SimpleCommand {
  readonly argv: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /** The command whose output it reads; `"group"` when that is several. */
  readonly pipedFrom: SimpleCommand | "group" | undefined;
  /** Every command after it on the line runs only if it succeeds, in the same shell: where it moves to is known. */
  readonly leads: boolean;
  /** As written. */
  readonly source: string;
}

interface Span {
  readonly pos: number;
  readonly end: number;
  /** Index of the command it belongs to; -1 for the body of a here-document, less for the redirects of a group. */
  readonly owner: number;
  readonly redirect: boolean;
}

interface Walk {
  readonly source: string;
  readonly roots: Roots;
  readonly commands: SimpleCommand[];
  readonly spans: Span[];
  /** The whole line is one chain of `&&`. */
  readonly chained: boolean;
  /** Every group of the line: `(` or `{`. */
  readonly groups: ("(" | "{")[];
  /** Groups that are open here. */
  readonly depth: number;
}

/** Deepest nesting of groups; a person could not follow more. */
const maxDepth = 16;

/** Lists the simple commands of a parsed line in order. Throws `NotUnderstood` at any node or character that is not accounted for. */
export function flattenScript(script: ParsedScript, source: string, roots?: Roots): readonly SimpleCommand[] {
  const walk: Walk = { source, roots, commands: [], spans: [], chained: isChain(script.commands), groups: [], depth: 0 };
  if (script.shebang !== undefined || script.source !== undefined) throw new NotUnderstood("it starts like a script file");
  for (const statement of script.commands) visitStatement(statement, undefined, walk);
  accountForCharacters(walk);
  return walk.commands;
}

/** One statement, its parts joined by `&&` alone; a group only at its end, and a chain itself. */
function isChain(statements: readonly Statement[]): boolean {
  const node = statements[0]?.command;
  if (!node || statements.length !== 1) return false;
  if (node.type === "AndOr" && node.operators.some((operator) => operator !== "&&")) return false;
  const parts = node.type === "AndOr" ? node.commands : [node];
  return parts.every((member, index) => {
    const part = member.type === "Redirected" ? member.command : member;
    if (part.type === "Subshell" || part.type === "BraceGroup") return index === parts.length - 1 && isChain(part.body.commands);
    return part.type === "Command" || (part.type === "Pipeline" && part.commands.every(({ type }) => type === "Command"));
  });
}

type Feed = SimpleCommand["pipedFrom"];

function visitStatement(statement: Statement, feed: Feed, walk: Walk): void {
  if (statement.background) throw new NotUnderstood("a command is sent to the background");
  const node = statement.command;
  for (const part of node.type === "AndOr" ? node.commands : [node]) visitPipeline(part, feed, walk);
}

function visitPipeline(node: PipelineNode, feed: Feed, walk: Walk): void {
  if (node.type === "Pipeline" && node.commands.length === 0) throw new NotUnderstood("! or time stands before nothing", "deny");
  let from: Feed = feed;
  for (const part of node.type === "Pipeline" ? node.commands : [node]) {
    const before = walk.commands.length;
    visitCommand(part, from, node.type === "Pipeline" ? { ...walk, chained: false } : walk);
    from = part.type === "Command" ? walk.commands[before] : "group";
  }
}

function visitCommand(node: CommandNode, feed: Feed, walk: Walk): void {
  switch (node.type) {
    case "Command":
      readCommand(node, feed, walk);
      return;
    case "Subshell":
    case "BraceGroup":
      if (walk.depth >= maxDepth) throw new NotUnderstood(`groups are nested more than ${maxDepth} deep`, "deny");
      walk.groups.push(node.type === "Subshell" ? "(" : "{");
      for (const statement of node.body.commands) visitStatement(statement, feed, { ...walk, depth: walk.depth + 1 });
      return;
    case "Redirected":
      visitRedirected(node, feed, walk);
      return;
    default:
      throw new NotUnderstood(`it holds a construct of the shell (${node.type}) that is not judged`);
  }
}

/** A redirect of a group is one of every command in it. */
function visitRedirected(node: Redirected, feed: Feed, walk: Walk): void {
  const owner = -2 - walk.groups.length;
  const first = walk.commands.length;
  visitCommand(node.command, feed, walk);
  const redirects = node.redirects.map((part) => {
    walk.spans.push({ pos: part.pos, end: part.end, owner, redirect: true });
    return readRedirect(part, walk);
  });
  if (redirects.some(({ kind }) => kind === "read" || kind === "text")) throw new NotUnderstood("a group is given an input");
  for (let at = first; at < walk.commands.length; at++) {
    const command = walk.commands[at] as SimpleCommand;
    walk.commands[at] = { ...command, redirects: [...command.redirects, ...redirects] };
  }
}

function readCommand(node: Command, pipedFrom: Feed, walk: Walk): void {
  const owner = walk.commands.length;
  const command = { argv: [] as Word[], assignments: [] as Assignment[], redirects: [] as Redirect[] };
  const mark = (part: { pos: number; end: number }, redirect = false) => walk.spans.push({ pos: part.pos, end: part.end, owner, redirect });
  for (const part of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]) {
    switch (part.type) {
      case "Word":
        mark(part);
        command.argv.push(readWord(part, walk));
        break;
      case "Assignment":
        if (command.argv.length > 0 || part.append || part.index || part.value.type !== "Word") {
          throw new NotUnderstood("an assignment has a form that is not judged");
        }
        mark(part);
        command.assignments.push({ name: part.name, value: readWord(part.value, walk) });
        break;
      default:
        mark(part, true);
        command.redirects.push(readRedirect(part, walk));
    }
  }
  walk.commands.push({ ...command, pipedFrom, leads: walk.chained, source: walk.source.slice(node.pos, node.end) });
}

function readWord(node: WordNode, { source, roots }: Walk): Word {
  const raw = source.slice(node.pos, node.end);
  const document = raw.startsWith('"$(') ? decodeQuotedDocument(raw) : undefined;
  if (document && node.value === raw.slice(1, -1) && node.parts?.length === 1) return document;
  const word = decodeWord(raw);
  if (word.text !== node.value) throw new NotUnderstood("two readings of a word differ");
  return roots ? { ...word, roots } : word;
}

function readRedirect(node: Redirection, walk: Walk): Redirect {
  if (node.descriptor?.type === "FileDescriptorVariable") throw new NotUnderstood("a redirect names its descriptor by a variable");
  if (node.type === "HereDoc") return readHereDocument(node, walk);
  if (!node.target) throw new NotUnderstood("a redirect has no target");
  const target = readWord(node.target, walk);
  if (node.type === "HereString") return { kind: "text" };
  if (/^[<>]&$/.test(node.operator)) {
    // bash ends `>&-` at the dash, and expands the target of `>&` a second time, quotes or not.
    if (!/^[012]$/.test(walk.source.slice(node.target.pos, node.target.end)))
      throw new NotUnderstood("a redirect names no plain descriptor");
    return { kind: "duplicate" };
  }
  if (node.operator === "<") return { kind: "read", target };
  return { kind: "write", target };
}

function readHereDocument(node: HereDoc, walk: Walk): Redirect {
  const { delimiter, body, closing } = node;
  if (!delimiter || !closing || !/^(?:\w+|'\w+'|"\w+"|\\\w+)$/.test(delimiter.text)) {
    throw new NotUnderstood("a here-document has an unusual end marker");
  }
  if (!delimiter.quoted && /[$`\\]/.test(walk.source.slice(body.pos, closing.pos))) {
    throw new NotUnderstood("a here-document without quotes around its marker expands what it holds");
  }
  walk.spans.push({ pos: body.pos, end: closing.end, owner: -1, redirect: false });
  return { kind: "text" };
}

/** Blanks, operators, grouping, negation, `time` and comments. */
const betweenCommands = /^(?:[ \t\n;|&(){}!]|(?<![^ \t\n;|&()])time(?: -p)?(?![^ \t\n])|(?<=[ \t\n;|&()])#[^\n]*(?![^\n]))*$/;

/** No byte may stand outside words, redirects, assignments and known operators: the absence of a node proves nothing. */
function accountForCharacters({ source, spans, groups }: Walk): void {
  const ordered = spans.toSorted((a, b) => a.pos - b.pos);
  let previous: Span | undefined;
  let gaps = "";
  for (const span of ordered) {
    if (span.pos < (previous?.end ?? 0)) throw new NotUnderstood("parts of the line overlap");
    const gap = source.slice(previous?.end ?? 0, span.pos);
    if (!isGapKnown(gap, previous, span, source)) {
      throw new NotUnderstood("it holds characters whose meaning is not certain");
    }
    gaps += `${gap}\n`;
    previous = span;
  }
  const tail = `${previous ? "" : "\n"}${source.slice(previous?.end ?? 0)}`;
  if (!betweenCommands.test(tail)) throw new NotUnderstood("it holds characters whose meaning is not certain");
  accountForGroups(`${gaps}${tail}`, groups);
}

/** A bracket between commands opens or closes a group that was read; the parser passes over one that does not. */
function accountForGroups(gaps: string, groups: Walk["groups"]): void {
  const brackets = gaps.replace(/(?<=^|[\s;|&()])#[^\n]*/g, "");
  const count = (bracket: string) => brackets.split(bracket).length - 1;
  const opened = (bracket: string) => groups.filter((group) => group === bracket).length;
  if (count("(") === opened("(") && count(")") === opened("(") && count("{") === opened("{") && count("}") === opened("{")) return;
  throw new NotUnderstood("a bracket opens or closes nothing", "deny");
}

function isGapKnown(gap: string, before: Span | undefined, after: Span, source: string): boolean {
  if (!before) return betweenCommands.test(`\n${gap}`);
  if (before.owner !== after.owner || before.owner === -1) {
    if (!betweenCommands.test(gap)) return false;
    return after.owner < -1 ? /\)[ \t]*$|\}[ \t]+$/.test(gap) : /[;\n|&(]/.test(gap) || after.owner === -1;
  }
  if (gap !== "") return /^[ \t]+$/.test(gap);
  const glued = source.slice(before.pos, before.end);
  // A number right before a redirect is its descriptor, not the target of the redirect before.
  if (before.redirect && after.redirect && /[<>|][ \t]*\d+$/.test(glued)) return false;
  return before.redirect || (after.redirect && !/^\d+$|\}$/.test(glued));
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
  return pattern && `${runner.text} runs what the pattern ${JSON.stringify(pattern.text)} matches, so what runs is not certain.`;
}

/** As `findUnnamedCode`, of every command in a line that is not understood as a whole. */
export function findUnnamedInScript(script: ParsedScript, source: string): string | undefined {
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
    if (word.glob) return word;
    if (how.otherwise.test(word.text)) return undefined;
    const isOption = /^[-+]./.test(word.text);
    const mayBeValue = (behindOption && !fileLike.test(word.text)) || (index === 0 && word.text === how.verb);
    if (!isOption && !mayBeValue) return undefined;
    behindOption = isOption && word.text !== "--";
  }
  return undefined;
}
