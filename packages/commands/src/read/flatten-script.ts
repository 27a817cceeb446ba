import {
  type Command,
  type CommandNode,
  type For,
  type HereDoc,
  type If,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Redirected,
  type Redirection,
  type Statement,
  type TestCommand,
  type Word as WordNode,
} from "unbash";
import { expandBraces } from "../targets/expand-braces.ts";
import {
  decodeQuotedDocument,
  decodeWord,
  type KnownFolders,
  NotUnderstood,
  setFolders,
  setsVariable,
  type Variables,
  type Word,
} from "../words/decode-word.ts";
import { readTestWords } from "./test-words.ts";

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
  /** True when the command that it is piped from prints its last words (`$(...)`), and nothing that it reads. */
  readonly substituted?: boolean;
}

interface Span {
  readonly pos: number;
  readonly end: number;
  /** Index of the command it belongs to; -1 for the body of a here-document, less for the redirects of a group. */
  readonly owner: number;
  readonly redirect: boolean;
  /** True for the head of a loop, behind which a command begins. */
  readonly opens?: boolean;
}

interface Walk {
  readonly source: string;
  readonly places: KnownFolders;
  /** Variables of the loops around this place, with the values of this turn. */
  readonly variables: Variables;
  readonly commands: SimpleCommand[];
  readonly spans: Span[];
  /** The whole line is one chain of `&&`. */
  readonly chained: boolean;
  /** Every group of the line: `(` or `{`. */
  readonly groups: ("(" | "{")[];
  /** Groups that are open here. */
  readonly depth: number;
}

/** Most simple commands that loops come to. */
const mostCommands = 256;
/** Deepest nesting of groups; a person could not follow more. */
const maxDepth = 16;

/** Lists the simple commands of a parsed line in order. Throws `NotUnderstood` at any node or character that is not accounted for. */
export function flattenScript(script: ParsedScript, source: string, places: KnownFolders = {}): readonly SimpleCommand[] {
  const walk: Walk = {
    source,
    places,
    variables: new Map(),
    commands: [],
    spans: [],
    chained: isChain(script.commands),
    groups: [],
    depth: 0,
  };
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
    case "For":
      visitLoop(node, feed, walk);
      return;
    case "If":
      visitCondition(node, feed, walk);
      return;
    case "TestCommand":
      readTest(node, feed, walk);
      return;
    default:
      throw new NotUnderstood(`it contains a construct of the shell (${node.type})`);
  }
}

/** Names that no program and no shell gives a meaning to. */
const loopVariable = /^(?!(?:argv|cdpath|fpath|histchars|mailpath|manpath|options|path|prompt|psvar|status|watch)$)[a-z][a-z0-9]{0,15}$/;
/** Unquoted, such a value is one word and no pattern. */
const loopValue = /^[A-Za-z0-9_@%+=:,./][A-Za-z0-9_@%+=:,./-]*$/;

/** What runs for each word of a loop, in turn: its words are known. */
function visitLoop(node: For, feed: Feed, walk: Walk): void {
  if (walk.depth >= maxDepth) throw new NotUnderstood(`groups are nested more than ${maxDepth} deep`, "deny");
  const name = walk.source.slice(node.name.pos, node.name.end);
  if (!loopVariable.test(name)) throw new NotUnderstood(`a loop sets the variable ${name}, which may change what runs`);
  const listed = node.wordlist ?? [];
  const values = listed.flatMap((word) => readWords(word, walk).map(({ text, glob, tilde }) => (glob || tilde ? "" : text)));
  if (values.length === 0 || !values.every((value) => loopValue.test(value)))
    throw new NotUnderstood("a loop has words that are not plain");
  const last = listed.at(-1)?.end ?? node.name.end;
  const head = walk.source.slice(last, node.body.pos);
  const tail = walk.source.slice(node.body.end, node.end);
  const between = walk.source.slice(node.name.end, listed[0]?.pos);
  const isWhole = /^for[ \t]+$/.test(walk.source.slice(node.pos, node.name.pos)) && /^[ \t\n]+in[ \t]+$/.test(between);
  const isClosed = /^[ \t]*[;\n][ \t\n]*do[ \t\n]+$/.test(head) && /^;?done$/.test(tail.replaceAll(/[ \t\n]/g, ""));
  if (!isWhole || !isClosed) throw new NotUnderstood("a loop is written in an unusual form");
  walk.spans.push({ pos: node.pos, end: node.body.pos, owner: -1, redirect: false, opens: true });
  for (const [turn, value] of values.entries()) {
    const inner = { ...walk, chained: false, depth: walk.depth + 1, variables: new Map([...walk.variables, [name, value]]) };
    // The characters of the body are accounted for once.
    for (const statement of node.body.commands) visitStatement(statement, feed, turn === 0 ? inner : { ...inner, spans: [] });
    if (walk.commands.length > mostCommands) throw new NotUnderstood(`it holds more than ${mostCommands} commands`);
  }
  walk.spans.push({ pos: node.body.end, end: node.end, owner: -1, redirect: false });
}

/** Visits every branch of a condition: each of them may run. */
function visitCondition(node: If, feed: Feed, walk: Walk): void {
  if (walk.depth >= maxDepth) throw new NotUnderstood(`groups are nested more than ${maxDepth} deep`, "deny");
  const branches = [
    { word: "if", list: node.clause },
    { word: "then", list: node.then },
    ...node.elif.flatMap(({ clause, then }) => [
      { word: "elif", list: clause },
      { word: "then", list: then },
    ]),
    ...(node.else ? [{ word: "else", list: node.else }] : []),
  ];
  const inner = { ...walk, chained: false, depth: walk.depth + 1 };
  let end = node.pos;
  for (const { word, list } of branches) {
    const head = walk.source.slice(end, list.pos).replace(end === node.pos ? "" : /^[ \t]*[;\n][ \t\n]*/, "");
    if (!/[ \t\n]$/.test(head) || head.trimEnd() !== word) throw new NotUnderstood("a condition is written in an unusual form");
    walk.spans.push({ pos: end, end: list.pos, owner: -1, redirect: false, opens: true });
    for (const statement of list.commands) visitStatement(statement, feed, inner);
    end = list.end;
  }
  if (!/^[ \t\n;]*fi$/.test(walk.source.slice(end, node.end))) throw new NotUnderstood("a condition is written in an unusual form");
  walk.spans.push({ pos: end, end: node.end, owner: -1, redirect: false });
}

/** `[[ -f a && -d b ]]` as `test` with the same words. */
function readTest(node: TestCommand, pipedFrom: Feed, walk: Walk): void {
  const source = walk.source.slice(node.pos, node.end);
  const argv = readTestWords(source, walk.variables).map((word) => setFolders(word, walk.places));
  walk.spans.push({ pos: node.pos, end: node.end, owner: walk.commands.length, redirect: false });
  walk.commands.push({
    argv: [{ text: "test", glob: false, tilde: false, splitQuotes: false }, ...argv],
    assignments: [],
    redirects: [],
    pipedFrom,
    leads: false,
    source,
  });
}

/** A redirect of a group is one of every command in it. */
function visitRedirected(node: Redirected, feed: Feed, walk: Walk): void {
  if (node.command.type === "If" || node.command.type === "TestCommand") throw new NotUnderstood("a condition has a redirect of its own");
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
  const listed = readListed(node, pipedFrom, walk);
  for (const part of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]) {
    switch (part.type) {
      case "Word":
        mark(part);
        if (listed?.word === part) break;
        command.argv.push(...(command.argv.length === 0 ? [readWord(part, walk)] : readWords(part, walk)));
        break;
      case "Assignment":
        if (command.argv.length > 0 || part.append || part.index || part.value.type !== "Word") {
          throw new NotUnderstood("an assignment is written in an unusual form");
        }
        mark(part);
        if (walk.variables.has(part.name)) throw new NotUnderstood("a loop sets its own variable");
        command.assignments.push({ name: part.name, value: readWord(part.value, walk) });
        break;
      default:
        mark(part, true);
        command.redirects.push(readRedirect(part, walk));
    }
  }
  if (walk.variables.size > 0 && setsVariable(command.argv)) throw new NotUnderstood("a command in a loop may set its variable");
  const own = { ...command, pipedFrom, leads: walk.chained, source: walk.source.slice(node.pos, node.end) };
  walk.commands.push(...(listed ? [listed.by, { ...own, pipedFrom: listed.by, substituted: true }] : [own]));
}

/** Programs that only read what their last words name, whatever these are. */
const takesList: ReadonlySet<string> = new Set("cat head tail wc grep egrep fgrep rg nl ls stat file md5sum sha1sum sha256sum".split(" "));

const substitution = /^(?:\$\((?!\().*\)|"\$\((?!\().*\)")$/s;

/** The last word, where one command prints what stands for it: `wc -l $(git ls-files)`. */
function readListed(node: Command, pipedFrom: Feed, walk: Walk): { readonly word: WordNode; readonly by: SimpleCommand } | undefined {
  const word = node.suffix.at(-1);
  if (word?.type !== "Word" || pipedFrom !== undefined || !substitution.test(walk.source.slice(word.pos, word.end))) return undefined;
  if (!node.name || !takesList.has(walk.source.slice(node.name.pos, node.name.end))) return undefined;
  const [part, ...after] = word.parts ?? [];
  const [inner, ...others] = part?.type === "DoubleQuoted" ? part.parts : [part];
  if (inner?.type !== "CommandExpansion" || after.length + others.length > 0) return undefined;
  const source = walk.source.slice(inner.pos + 2, inner.end - 1);
  const [by, ...more] = flattenScript(parse(source), source, walk.places);
  if (!by || more.length > 0) throw new NotUnderstood("a substitution holds more than one command");
  return { word, by: { ...by, leads: false } };
}

/** Plain characters and braces, of which bash makes several words. */
const bracedWord = /^[A-Za-z0-9_@%+=:./{][A-Za-z0-9_@%+=:,./{}-]*$/;
const plainPiece = /^[A-Za-z0-9_@%+=:./][A-Za-z0-9_@%+=:./-]*$/;

function readWords(node: WordNode, walk: Walk): readonly Word[] {
  const raw = walk.source.slice(node.pos, node.end);
  if (!raw.includes("{") || raw.includes("..") || node.value !== raw || !bracedWord.test(raw)) return [readWord(node, walk)];
  const words = expandBraces(raw) ?? [];
  if (words.length < 2 || words.some((word) => !plainPiece.test(word))) return [readWord(node, walk)];
  return words.map((text) => setFolders({ text, glob: false, tilde: false, splitQuotes: false, braced: true }, walk.places));
}

function readWord(node: WordNode, { source, places, variables }: Walk): Word {
  const raw = source.slice(node.pos, node.end);
  const document = raw.startsWith('"$(') ? decodeQuotedDocument(raw) : undefined;
  if (document && node.value === raw.slice(1, -1) && node.parts?.length === 1) return document;
  const word = decodeWord(raw, variables);
  const isSame = variables.size > 0 && raw.includes("$") ? agreesAsWritten(raw, node.value, variables) : word.text === node.value;
  if (!isSame) throw new NotUnderstood("two readings of a word differ");
  return setFolders(word, places);
}

/** The parser leaves variables as they are written, in braces or not. */
function agreesAsWritten(raw: string, parsed: string, variables: Variables): boolean {
  const { text } = decodeWord(raw, new Map([...variables.keys()].map((name) => [name, `$${name}`])));
  return text === parsed.replaceAll(/\$\{(\w+)\}/g, "$$$1");
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
    if (before.opens) return gap === "";
    return after.owner < -1 ? /\)[ \t]*$|\}[ \t]+$/.test(gap) : /[;\n|&(]/.test(gap) || after.owner === -1;
  }
  if (gap !== "") return /^[ \t]+$/.test(gap);
  const glued = source.slice(before.pos, before.end);
  // A number right before a redirect is its descriptor, not the target of the redirect before.
  if (before.redirect && after.redirect && /[<>|][ \t]*\d+$/.test(glued)) return false;
  return before.redirect || (after.redirect && !/^\d+$|\}$/.test(glued));
}
