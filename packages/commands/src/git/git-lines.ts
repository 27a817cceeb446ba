import { findStrangeAssignment } from "../judge/judge-coverage.ts";
import { analyseLine, type InnerCommand } from "../read/analyse-line.ts";
import { baseName, resolveProgram, type Word } from "../words/decode-word.ts";
import { type GitOption, readGitWords } from "./git-words.ts";
import { type ListPart, splitAroundGit } from "./split-line.ts";

/** A git command that a line runs. */
export interface GitCommand {
  /** All words after the program's name; of `xargs` without those that it adds. */
  readonly words: readonly string[];
  /** "" where none is certain: `git --version`, a program that runs git in its own way. */
  readonly subcommand: string;
  /** Its output reaches the result line by line: no other command takes it apart, and no file gets it. */
  readonly isLast: boolean;
}

/** The git commands of a line, and whether it is made of nothing else. */
export interface GitLine {
  readonly commands: readonly GitCommand[];
  /** True when every other command of the line only moves, prints words, or reads what it is given: no other one opens a file. */
  readonly isPure: boolean;
}

/** Programs that run git in a way that their words do not say. */
const frontends = /^(?:git-[\w-]+|gh|glab|hub|tig|lazygit|gitk|jj|stg)$/;
const inert = new Set(["cd", "echo", "printf", "true", ":", "pwd"]);

/** Finds the git commands that a line runs itself, also behind wrappers. Undefined when the line is not understood. */
export function findGitCommands(line: string): GitLine | undefined {
  const analysis = analyseLine(line);
  if (!analysis.ok) return undefined;
  const names = analysis.commands.map(({ argv }) => baseName(argv[0]?.text ?? ""));
  const fed = analysis.commands.filter(({ pipedFrom }) => pipedFrom !== undefined);
  const sourceOf = ({ pipedFrom }: InnerCommand) => (typeof pipedFrom === "object" ? pipedFrom.source : pipedFrom);
  const all = new Set(fed.map(sourceOf));
  const sources = new Set(fed.filter((command) => !passesLines(command) || all.has(command.source) || all.has("group")).map(sourceOf));
  const commands = analysis.commands.flatMap((command, index): GitCommand[] => {
    const name = names[index] ?? "";
    if (name !== "git" && !frontends.test(name)) return [];
    const words = command.argv.slice(1).map(({ text }) => text);
    const writes = command.redirects.some((redirect) => redirect.kind === "write" && redirect.target.text !== "/dev/null");
    const feeds = sources.has(command.source) || sources.has("group") || writes;
    return [{ words, subcommand: (name === "git" ? readGitWords(words).subcommand : undefined) ?? "", isLast: !feeds }];
  });
  const opensNothing = (command: InnerCommand, index: number) => inert.has(names[index] ?? "") || readsInputOnly(command);
  return { commands, isPure: analysis.commands.every((command, index) => names[index] === "git" || opensNothing(command, index)) };
}

/** A filter at the end of a pipe, without a word that could name a file. */
function readsInputOnly({ argv, pipedFrom, redirects, appended }: InnerCommand): boolean {
  const [name = "", ...words] = argv.map(({ text }) => text);
  if (pipedFrom === undefined || appended || redirects.some(({ kind }) => kind === "read")) return false;
  const operands = words.filter((word) => !word.startsWith("-"));
  switch (baseName(name)) {
    case "grep":
      return operands.length === 1 && words.every((word) => !word.startsWith("-") || /^-[cEFiHhnovwxqm]+$/.test(word));
    case "head":
    case "tail":
      return words.every((word) => /^-(?:n|c|n?\d+|-lines=\d+)$|^\d+$/.test(word));
    case "cat":
    case "sort":
    case "uniq":
    case "wc":
      return words.every((word) => /^-[a-zA-Z]+$/.test(word));
    default:
      return false;
  }
}

/** Prints whole lines of what it gets, and nothing about them. */
function passesLines({ argv, redirects }: InnerCommand): boolean {
  const [name = "", ...words] = argv.map(({ text }) => text);
  const writes = redirects.some((redirect) => redirect.kind === "write" && redirect.target.text !== "/dev/null");
  return /^(?:head|tail|cat)$/.test(baseName(name)) && !writes && words.every((word) => /^-(?:n|n?\d+|-lines=\d+)$|^\d+$/.test(word));
}

/** What a line does with the metadata of repositories: nothing, look, change branches and objects, change or remove their configuration too. */
export type GitAccess = "none" | "reads" | "changes" | "configures";

export interface GitNeed {
  /** What the line may be given: more than `reads` only when nothing but git, and programs that write no file, is on it. */
  readonly access: GitAccess;
  /** The command because of which a git command of the line does not get what it needs. */
  readonly heldBackBy?: string;
}

const words = (text: string) => text.trim().split(/\s+/);

/** By git's own list (`git help -a`, 2.52). A name that is missing may be an alias, which runs what the configuration says. */
const subcommands: ReadonlyMap<string, GitAccess> = new Map([
  ...words(
    `annotate blame cat-file check-attr check-ignore check-mailmap check-ref-format cherry count-objects describe diff diff-files diff-index diff-tree
     for-each-ref fsck get-tar-commit-id grep help log ls-files ls-remote ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog show
     show-branch show-index show-ref status stripspace var verify-commit verify-pack verify-tag version whatchanged archive`,
  ).map((name) => [name, "reads"] as const),
  ...words(
    `add am apply bisect checkout-index cherry-pick clean commit commit-graph commit-tree fetch fetch-pack format-patch hash-object index-pack lfs
     merge merge-file merge-index merge-tree mktag mktree multi-pack-index mv notes pack-objects pack-redundant pack-refs pull read-tree rebase reflog
     replace rerere reset restore revert rm send-pack stash symbolic-ref tag unpack-objects update-index update-ref update-server-info write-tree`,
  ).map((name) => [name, "changes"] as const),
  ...words("branch checkout clone config gc init maintenance prune push remote repack sparse-checkout submodule switch worktree").map(
    (name) => [name, "configures"] as const,
  ),
]);

/** They put content into no file but through a redirect. */
const companions = new Set(words("cd echo printf true false : pwd test [ ls cat head tail grep wc mkdir touch sleep date"));
/** It writes nothing, so what it leaves is nothing that git obeys. */
const removers = new Set(["rm", "rmdir"]);

/** Options of git itself that do not change what runs. */
const plainOptions = new Set(
  words("--no-pager -P -p --paginate --no-optional-locks --literal-pathspecs --no-replace-objects --bare --version --help"),
);
const plainSettings =
  /^(?:user\.(?:name|email)|(?:author|committer)\.(?:name|email)|init\.defaultbranch|advice\.\w+|color\.\w+|core\.(?:quotepath|autocrlf|eol)|commit\.gpgsign|tag\.gpgsign)=/i;

/** What makes a subcommand run a program that its own words name. */
const runners: ReadonlyMap<string, (operands: readonly string[]) => boolean> = new Map(
  Object.entries<(operands: readonly string[]) => boolean>({
    rebase: (operands) => operands.some((word) => /^-[a-z]*x/.test(word) || abbreviates(word, "--exec")),
    bisect: ([verb]) => verb === "run",
    submodule: (operands) => operands.includes("foreach"),
    clone: (operands) => operands.some((word) => /^-[a-z]*u/.test(word) || abbreviates(word, "--upload-pack")),
    fetch: (operands) => operands.some((word) => abbreviates(word, "--upload-pack")),
    pull: (operands) => operands.some((word) => abbreviates(word, "--upload-pack")),
    push: (operands) => operands.some((word) => abbreviates(word, "--receive-pack") || abbreviates(word, "--exec")),
    maintenance: (operands) => operands.includes("start") || operands.includes("register"),
  }),
);

function abbreviates(word: string, option: string): boolean {
  const [name = ""] = word.split("=", 1);
  return name.length > 3 && option.startsWith(name);
}

/**
 * What access to git metadata a command line needs and may have. A line that also runs something else may only read: that other program could
 * leave settings which the next git command on the host obeys. What is not understood may only read.
 */
export function gitAccessOf(command: string): GitNeed {
  const analysis = analyseLine(command);
  if (!analysis.ok) return { access: "reads" };
  let needed: GitAccess = "none";
  let foreign: string | undefined;
  for (const inner of analysis.commands) {
    const access = accessOf(inner);
    if (access === undefined) foreign ??= inner.source;
    else needed = higher(needed, access);
  }
  if (foreign === undefined) return { access: needed };
  return needed === "none" || needed === "reads" ? { access: "reads" } : { access: "reads", heldBackBy: foreign };
}

/** What access to git metadata a command line needs and may have, and its parts where it gets more of what it needs when it runs part by part. */
export function gitNeedOf(command: string): GitNeed & { readonly parts?: readonly ListPart[] } {
  const need = gitAccessOf(command);
  const parts = need.heldBackBy === undefined ? undefined : splitAroundGit(command, gitAccessOf);
  return { ...need, ...(parts && { parts }) };
}

const order: readonly GitAccess[] = ["none", "reads", "changes", "configures"];
const higher = (one: GitAccess, other: GitAccess): GitAccess => (order.indexOf(one) > order.indexOf(other) ? one : other);

/** Undefined for a command that may write anything. */
function accessOf({ argv, assignments, redirects }: InnerCommand): GitAccess | undefined {
  const [name, ...rest] = argv;
  const isHarmless = redirects.every((redirect) => redirect.kind !== "write" || isElsewhere(redirect.target));
  if (!name || name.glob || name.tilde || !isHarmless || findStrangeAssignment(assignments)) return undefined;
  const program = resolveProgram(name.text);
  if (program === "git") return readGit(rest.map(({ text }) => text));
  if (removers.has(program)) return "configures";
  if (program === "cd" && !rest.every(isElsewhere)) return undefined;
  return companions.has(program) ? "none" : undefined;
}

/** True for a path that is written out and names no `.git`. */
function isElsewhere({ text, glob, tilde }: Word): boolean {
  return !glob && !tilde && !/(?:^|\/)(?:\.git|git~\d+)[. ]*(?:\/|$)/i.test(text);
}

function readGit(words: readonly string[]): GitAccess | undefined {
  const { options, subcommand, operands } = readGitWords(words);
  if (!options.every(isPlain)) return undefined;
  if (subcommand === undefined) return "reads";
  // Its own output goes into a file, and what stands there may be chosen by a format.
  if (operands.some((word) => abbreviates(word, "--output") || /^-o/.test(word))) return undefined;
  if (runners.get(subcommand)?.(operands)) return undefined;
  return subcommands.get(subcommand);
}

function isPlain({ word, value }: GitOption): boolean {
  if (plainOptions.has(word)) return true;
  return value !== undefined && (word === "-C" || (word === "-c" && plainSettings.test(value)));
}
