import { findProgram, programs } from "../programs/programs.ts";
import type { InnerCommand } from "../read/analyse-line.ts";
import type { Assignment, Redirect } from "../read/flatten-script.ts";
import { dispatchers, shells, wrappers } from "../read/wrappers.ts";
import {
  type CommandRule,
  coversFolder,
  findCovering,
  isFolderBelow,
  type RuleIndex,
  type RuleMatch,
  suggestPattern,
} from "../rules/command-rules.ts";
import { isProtectedPath } from "../targets/path-text.ts";
import { pathFromRoot, type Roots, resolveArgv, resolveProgram, type Word } from "../words/decode-word.ts";
import { judgePathWord, type Objection } from "../words/judge-path-word.ts";
import type { ProgramRule } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments, scanArguments } from "../words/scan-arguments.ts";

/** Whether the allowing rules cover one command, and what is in the way if not. */
type Coverage =
  | { readonly covered: true; readonly by: Pick<CommandRule, "text" | "where">; readonly readOnly: boolean }
  | { readonly covered: false; readonly objection: string; readonly remedy?: string };

const inertRule = { text: "programs that do nothing", where: "default.commands.inert" };

export function judgeCoverage(command: InnerCommand, rules: RuleIndex, line: LineState): Coverage {
  const shape = findShapeProblem(command);
  if (shape) return { covered: false, objection: shape, remedy: "Write the command without it, or approve this call." };
  if (ruleOf(command)?.inert && isReadOnly(command)) return { covered: true, by: inertRule, readOnly: true };
  const matches = [...findCovering(rules, command.argv), ...findWrapped(command, rules)].filter(({ rule }) =>
    coversFolder(rule.pattern, onlyFolder(line)),
  );
  if (matches.length === 0) return { covered: false, objection: "no rule allows this command", ...remedyFor(command, line) };
  let first: string | undefined;
  for (const match of matches) {
    // A rule that names the folder trusts what is there.
    const place = match.rule.pattern.folder ? { ...line, folders: [""] } : line;
    const objection = match.exact ? judgeExact(command, match, place) : judgeReviewed(command, match, place);
    if (!objection) return { covered: true, by: match.rule, readOnly: isReadOnly(command) };
    first ??= objection;
  }
  return { covered: false, objection: first ?? "", ...remedyFor(command, line) };
}

/** Rules that write out the wrappers too, and the program in them: `xargs grep *`. */
function findWrapped({ argv, levels }: InnerCommand, rules: RuleIndex): readonly RuleMatch[] {
  return levels.flatMap((level) => {
    const offset = level.length - argv.length;
    if (offset <= 0 || !argv.every((word, index) => word === level[offset + index])) return [];
    return findCovering(rules, level)
      .filter(({ pinned }) => pinned > offset)
      .map((match) => ({ ...match, pinned: match.pinned - offset }));
  });
}

/** True when the program is reviewed as one that changes nothing, with these arguments. */
export function isReadOnly(command: InnerCommand): boolean {
  const rule = ruleOf(command);
  if (!rule || findShapeProblem(command) || command.appended) return false;
  const verdict = judgeWords(rule, command.argv.slice(1));
  return verdict.rule.readOnly === true && verdict.objection === undefined;
}

/** The rule that would cover this very command from now on; none is offered for programs that run code, and for input from elsewhere. */
function remedyFor(command: InnerCommand, line: LineState): { remedy: string } {
  const folder = onlyFolder(line);
  if (line.placed || folder === undefined) return { remedy: "Run it by itself in the workspace's root, or approve this call." };
  const withheld = isFed(command) || command.appended || runsCode(resolveProgram(command.argv[0]?.text ?? ""));
  const pattern = withheld ? undefined : suggestPattern(resolveArgv(command.argv));
  if (pattern === undefined) return { remedy: "Approve this call; no lasting rule is offered for commands of this kind." };
  return {
    remedy: `Approve this call, or add the rule { pattern: ${JSON.stringify(folder === "" ? pattern : `cd ${folder} && ${pattern}`)}, effect: allow }.`,
  };
}

/** True for programs that run what their arguments or a file say: interpreters, shells, wrappers and dispatchers. */
export function runsCode(name: string): boolean {
  return (
    programs.get(name)?.interpreter === true ||
    wrappers.has(name) ||
    shells.has(name) ||
    dispatchers.has(name.replace(/(?<![\d.])[\d.]+$/, ""))
  );
}

function ruleOf(command: InnerCommand): ProgramRule | undefined {
  return findProgram(command.argv[0]?.text ?? "");
}

/** They print, compare or end with an exit status, and nothing else. */
const takesStatus: ReadonlySet<string> = new Set(": true echo printf test [ exit return".split(" "));

/** Why words that are known once the line runs leave open what it does; undefined where they only add a number to print, or files to read. */
export function findUncertain(command: InnerCommand): string | undefined {
  const program = resolveProgram(command.argv[0]?.text ?? "");
  const holdsStatus = command.levels.some((argv) => argv.some(({ status }) => status));
  if (holdsStatus && !(takesStatus.has(program) && command.levels.length === 1))
    return "An exit status stands in its words, so what they say is not certain.";
  return command.substituted && !isListed(command) ? "A substitution stands in its words, so what they say is not certain." : undefined;
}

function findShapeProblem(command: InnerCommand): Objection {
  const name = command.argv[0];
  if (!name) return "it sets variables or redirects without running a program";
  if (name.glob || name.tilde || command.levels.some(([first]) => first?.splitQuotes))
    return "the program's name is put together from pieces";
  return findStrangeAssignment(command.assignments) ?? findRedirectProblem(command.redirects);
}

const harmlessNames = /^(?:NODE_ENV|CI|NO_COLOR|FORCE_COLOR|LANG|LANGUAGE|TZ|TERM|COLUMNS|LC_[A-Z]+)$/;
const harmlessValue = /^(?![/:])(?!.*\.\.)[\w.@:/+,-]*$/;

export function findStrangeAssignment(assignments: readonly Assignment[]): Objection {
  const strange = assignments.find(({ name, value }) => !harmlessNames.test(name) || value.tilde || !harmlessValue.test(value.text));
  return strange ? `the variable ${strange.name} may change what runs` : undefined;
}

function findRedirectProblem(redirects: readonly Redirect[]): Objection {
  for (const redirect of redirects) {
    if (!("target" in redirect) || redirect.target.text === "/dev/null") continue;
    if (redirect.kind === "write" && /^\/dev\/std(?:out|err)$/.test(redirect.target.text)) continue;
    if (redirect.target.glob) return "a redirect has a pattern as its target";
    if (redirect.kind === "write") return `it writes to ${JSON.stringify(redirect.target.text)} by a redirect`;
    const objection = judgePathWord(redirect.target, "read");
    if (objection) return objection;
  }
  return undefined;
}

const isFed = (command: InnerCommand) =>
  command.pipedFrom !== undefined || command.redirects.some(({ kind }) => kind === "read" || kind === "text");

/** A rule without wildcards is itself the review of the arguments, unless its input or folder is another than it could mean. */
function judgeExact(command: InnerCommand, match: RuleMatch, line: LineState): Objection {
  const rule = ruleOf(command);
  if (command.appended) return "words from its input are added to it";
  if (isFed(command) && (!rule || rule.interpreter)) return "what it gets as input may be code";
  if (!rule) return judgeLine(line, undefined, match);
  const reviewed = judgeWords(rule, command.argv.slice(1));
  return rule.trustsFolder ? judgeLine(line, reviewed.objection === undefined ? reviewed.rule : undefined, match) : undefined;
}

/** @param rule - undefined when nothing of it is reviewed. */
function judgeLine(line: LineState, rule: ProgramRule | undefined, { rule: covering }: RuleMatch): Objection {
  if (line.folders === undefined) return "it obeys files of the folder it runs in, which may be outside the workspace";
  const isSafeInside = rule?.obeysProject || (rule?.obeysRepository && line.watched);
  if (onlyFolder(line) !== "" && !(isSafeInside && !covering.inFolderOnly && isInProject(line)))
    return "it obeys files of the folder it runs in, which is not the workspace's root";
  return line.placed ? "a file that it may run is put in place by the same line" : undefined;
}

function judgeReviewed(command: InnerCommand, match: RuleMatch, line: LineState): Objection {
  const reviewed = ruleOf(command);
  if (!reviewed) return "the program's arguments are not reviewed, so only a rule without wildcards covers it";
  const { rule, objection } = judgeWords(reviewed, command.argv.slice(1));
  if (objection) return objection;
  if (match.pinned < (rule.pinned ?? 0)) return "the covering rule must name the script, address or subcommand itself, not by a wildcard";
  if (command.appended) return judgeAppended(command, rule, match);
  return rule.trustsFolder || reviewed.trustsFolder ? judgeLine(line, rule, match) : judgeChanges(command, rule, line);
}

/** A word that is harmless in the root may mean a protected name in the folder that the line has entered. */
function judgeChanges({ argv }: InnerCommand, { operands }: ProgramRule, { folders }: LineState): Objection {
  if (operands !== "write" && operands !== "delete") return undefined;
  if (folders === undefined) return "which folder it changes files in is not certain";
  const places = folders.filter((folder) => folder !== "");
  const found = places
    .flatMap((folder) => argv.slice(1).map((word) => pathFromRoot(word) ?? `${folder}/${word.text}`))
    .find((path) => isProtectedPath(path, operands));
  return found && `${JSON.stringify(found)} is protected, or a tool may obey it once somebody opens the folder`;
}

/** Words from `xargs`: only names that a lister of workspace files prints, to a program whose options cannot do harm. */
function judgeAppended(command: InnerCommand, rule: ProgramRule, match: RuleMatch): Objection {
  if (!isListed(command)) return "the words that are added to it come from something that is not a list of workspace files";
  const open = match.rest && rule.globSafe && rule.operands === "read" && rule.maxOperands === undefined;
  return open ? undefined : "words from its input are added to it, and were not reviewed";
}

/** True when what it gets words from prints names of workspace files, and nothing else. */
function isListed({ pipedFrom }: InnerCommand): boolean {
  const source = typeof pipedFrom === "object" ? pipedFrom.argv : [];
  const program = findProgram(source[0]?.text ?? "");
  const lister = program && judgeWords(program, source.slice(1));
  return lister?.objection === undefined && lister?.rule.listsFiles?.(source.slice(1)) === true;
}

/** What earlier commands of the line, or the call's folder, mean for a later one. */
export interface LineState {
  /**
   * Every folder that it may run in, relative to the workspace's root, which is "": more than one after a `cd` that may have failed.
   * Undefined when it may be one that the text does not name, which may be outside.
   */
  readonly folders: readonly string[] | undefined;
  /** A file was put in place that it may run. */
  readonly placed: boolean;
  /** The configuration of each repository is looked at before git runs. */
  readonly watched: boolean;
}

const most = 16;

/** The folder that a command runs in; undefined when that is not certain. */
export function onlyFolder({ folders }: LineState): string | undefined {
  return folders?.length === 1 ? folders[0] : undefined;
}

const dependencies: ReadonlySet<string> = new Set("node_modules vendor third_party bower_components site-packages".split(" "));

/** True when each folder that it may run in holds the project itself: what others wrote and only lies there is none of it. */
function isInProject({ folders }: LineState): boolean {
  return folders?.every((folder) => !folder.split("/").some((name) => dependencies.has(name.toLowerCase()))) === true;
}

/** The folder of a call, before the first command. */
export function startIn(workdir: string, roots?: Roots): LineState["folders"] {
  const folder = readFolder(pathFromRoot({ text: workdir, glob: false, tilde: false, splitQuotes: false, roots }) ?? workdir);
  return folder === undefined ? undefined : [folder];
}

/** Where a line is after a command that changes the folder. What runs only if it succeeded is there, anything else may be where it was. */
export function enterFolder(from: LineState["folders"], { argv, levels, leads }: InnerCommand): LineState["folders"] {
  const [, target] = argv;
  if (from === undefined || !target || argv.length !== 2 || target.glob || target.tilde) return undefined;
  const path = pathFromRoot(target);
  const below = readFolder(path ?? target.text);
  if (below === undefined) return undefined;
  const entered = path !== undefined ? [below] : below === "" ? from : from.map((folder) => (folder === "" ? below : `${folder}/${below}`));
  const folders = leads && levels.length === 1 ? entered : [...new Set([...from, ...entered])];
  return folders.length > most ? undefined : folders;
}

/** `git -C FOLDER` as the command that it is in that folder of the workspace; anything else as it is. */
export function enterGitFolder(command: InnerCommand, line: LineState): { readonly command: InnerCommand; readonly line: LineState } {
  const [name, option, target, ...words] = command.argv;
  const isGit = name !== undefined && !name.glob && resolveProgram(name.text) === "git";
  if (!isGit || option?.text !== "-C" || !target || judgePathWord(target, "read")) return { command, line };
  const folders = enterFolder(line.folders, { ...command, argv: [name, target], levels: [[]], leads: true });
  if (folders === undefined) return { command, line };
  const argv = [name, ...words];
  return { command: { ...command, argv, levels: [...command.levels.slice(0, -1), argv] }, line: { ...line, folders } };
}

/**
 * The command with paths that climb within the workspace written from its root (`../lib/a` in packages/app is packages/lib/a), where it then only
 * reads; undefined where there is none. What a link makes of such a path, the place where it runs holds back.
 */
export function resolveClimbing(command: InnerCommand, line: LineState): InnerCommand | undefined {
  const folder = onlyFolder(line);
  if (folder === undefined || !command.argv.some(isClimbing)) return undefined;
  const argv = command.argv.map((word, index) => (index > 0 && isClimbing(word) ? { ...word, text: climb(folder, word.text) } : word));
  const resolved = { ...command, argv, levels: [...command.levels.slice(0, -1), argv] };
  return isReadOnly(resolved) ? resolved : undefined;
}

const isClimbing = ({ text, glob, tilde }: Word) =>
  !glob && !tilde && text.includes("..") && /^[\w@.+/-]+$/.test(text) && text.split("/").includes("..");

/** As written where it leaves the workspace. */
function climb(folder: string, text: string): string {
  const path: string[] = [];
  for (const name of `${folder}/${text}`.split("/")) {
    if (name === ".." && path.pop() === undefined) return text;
    if (name !== ".." && name !== "." && name !== "") path.push(name);
  }
  return text.startsWith("/") || path.length === 0 ? text : path.join("/");
}

/** A folder relative to the one before, "" for that itself; undefined when its text does not say which one it is. */
function readFolder(text: string): string | undefined {
  if (/^(?:\.\/?)?$/.test(text)) return "";
  return isFolderBelow(text) && /^[\w@.+/-]+$/.test(text) ? text.replace(/^\.\/|\/$/g, "") : undefined;
}

/** What the review of a program says of one argv. */
interface ArgumentsVerdict {
  /** The rule of the subcommand, where there is one. */
  readonly rule: ProgramRule;
  readonly objection: Objection;
}

const noOptions = optionTable("");

/** Judges the words after the program's name by its reviewed rule. */
export function judgeWords(rule: ProgramRule, words: readonly Word[]): ArgumentsVerdict {
  const mode = rule.modes?.get(words[0]?.text ?? "");
  if (mode) return judgeWords(mode, words.slice(1));
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
  if (!name) return { rule, objection: rule.needsSubcommand ? "the subcommand is missing" : undefined };
  const subcommand = name.glob || name.splitQuotes ? undefined : subcommands.get(name.text);
  if (!subcommand) return { rule, objection: `${JSON.stringify(name.text)} is not on the reviewed list` };
  return judgeWords(subcommand, words.slice(at + 1));
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
