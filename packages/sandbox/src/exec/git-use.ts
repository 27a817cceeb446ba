import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join, relative } from "node:path";
import { findGitCommands, type GitCommand, type GitLine } from "@toolwright/commands";
import { isCredentialPath } from "@toolwright/commands/targets";
import type { Caution, CommandSpec } from "@toolwright/engine/ports";
import { findFolder } from "../drivers/prepare-spec.ts";
import { findObeyed } from "../repository/judge-repositories.ts";
import { type IndexEntry, readIndex } from "../repository/read-index.ts";
import { readInside } from "../repository/read-inside.ts";
import { isRepository, type Repository, readRepository } from "../repository/read-repository.ts";
import { confineWorkdir, isInside } from "./confine-workdir.ts";
import { wordsOf } from "./words-of-command.ts";
import type { WorkspaceView, WorkspaceViews } from "./workspace-view.ts";

export interface CommandInFolder {
  readonly command: string;
  /** Relative to the workspace. */
  readonly workdir: string;
  /** False where nothing keeps the values of credential files out of what git prints. Default: true. */
  readonly contained?: boolean;
}

/** A tracked file of credentials. */
interface Tracked {
  /** Relative to the workspace. */
  readonly path: string;
  /** The file differs from what the index holds, so git prints either. */
  readonly changed: boolean;
}

/** The git commands of a line, and what they work on. */
export interface GitUse {
  readonly line: GitLine;
  readonly repositories: readonly Repository[];
  /** Tracked files of `view.credentials`; undefined when an index could not be read. */
  readonly tracked: readonly Tracked[] | undefined;
  /** False when the line names more folders than are looked at. */
  readonly isComplete: boolean;
  /** True when paths among the words are relative to the workspace. */
  readonly startsAtRoot: boolean;
}

const maxFolders = 128;

/** What a line has to do with git; undefined for a line that runs no git itself. A line that is not understood, and names git, runs it. */
export function findGitUse(view: WorkspaceView, { command, workdir }: CommandInFolder): GitUse | undefined {
  const read = findGitCommands(command);
  const line = read ?? (/git/i.test(command) ? { commands: [{ words: [], subcommand: "", isLast: false }], isPure: false } : undefined);
  if (!line || line.commands.length === 0) return undefined;
  const folders = foldersOf(view.root, { command, workdir });
  const above = new Set(folders.flatMap((folder) => enclosing(view, folder)));
  const met = view.repositories.filter((repository) => [...above].some((outer) => isInside(join("/", outer), join("/", repository))));
  const repositories = met.map((repository) => readRepository(view.root, repository));
  const tracked = view.credentials.length === 0 ? [] : findTracked(view, repositories);
  const startsAtRoot = workdir === "." && line.isPure && !/(?:^|[\s;&|(])cd\s|\s-C/.test(command);
  return { line, repositories, tracked, isComplete: folders.length < maxFolders, startsAtRoot };
}

/** The repositories that git may take a folder for a part of: the nearest, and those above it where git might not take that for one. */
function enclosing({ root, repositories }: WorkspaceView, folder: string): readonly string[] {
  const inside = (repository: string) => isInside(join(root, repository), folder);
  const nearestFirst = repositories.filter(inside).sort((a, b) => b.length - a.length);
  const last = nearestFirst.findIndex((repository) => isRepository(root, repository));
  return last < 0 ? nearestFirst : nearestFirst.slice(0, last + 1);
}

/** Folders that a line may run git in: where it starts, and what its words name from there. */
function foldersOf(root: string, { command, workdir }: CommandInFolder): readonly string[] {
  const folders = new Set([join(root, workdir)]);
  for (const folder of folders) {
    for (const word of wordsOf(command)) {
      if (folders.size >= maxFolders) return [...folders];
      const found = findFolder(join(word.startsWith("/") ? "" : folder, word));
      if (found !== undefined && isInside(root, found)) folders.add(found);
    }
  }
  return [...folders];
}

function findTracked({ root, credentials }: WorkspaceView, repositories: readonly Repository[]): readonly Tracked[] | undefined {
  const tracked: Tracked[] = [];
  for (const { folder, gitFolder, settings } of repositories) {
    if (gitFolder === undefined) continue;
    const hides = (path: string) => credentials.some((credential) => isInside(join("/", credential.path), join("/", folder, path)));
    // Most files are told apart by their names, before anything is compared.
    const wants = (path: string) => (isCredentialPath(path) || credentials.some((one) => !isCredentialPath(one.path))) && hides(path);
    const hash = settings.some(({ setting }) => setting.key === "extensions.objectformat" && setting.value === "sha256")
      ? "sha256"
      : "sha1";
    const entries = readIndex(root, gitFolder, { hash, wants });
    if (entries === undefined) return undefined;
    for (const entry of entries) {
      const path = relative(root, join(root, folder, entry.path));
      tracked.push({ path, changed: hasChanged(root, path, { entry, hash }) });
    }
  }
  return tracked;
}

const maxHashed = 1024 * 1024;

/** By content: times say nothing about a file that was touched, or written twice within a second. */
function hasChanged(root: string, path: string, { entry, hash }: { readonly entry: IndexEntry; readonly hash: string }): boolean {
  const now = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (!now || now.size !== entry.size) return true;
  const found = readInside(root, path, maxHashed);
  if (found.kind !== "file") return true;
  return createHash(hash).update(`blob ${found.bytes.length}\0`).update(found.bytes).digest("hex") !== entry.object;
}

/** Subcommands that compare the work tree with the index, or write one into the other: an empty file would be a change to them. */
const comparing = new Set(
  "add apply blame checkout cherry-pick commit describe diff ls-files merge mv pull rebase reset restore rm stash status switch".split(" "),
);

/** True when the line needs the tracked files as they are, and prints nothing of them that the cautions do not know. */
export function comparesWorkTree({ line }: GitUse): boolean {
  return (
    line.isPure &&
    line.commands.some(({ subcommand }) => comparing.has(subcommand)) &&
    line.commands.every(({ subcommand }) => subcommand !== "grep")
  );
}

/** What speaks for asking a person about a line that runs git. */
function cautionsOf(use: GitUse, { contained = true }: CommandInFolder): readonly Caution[] {
  return [
    ...findObeyed(use.repositories, use.line).map(({ subject, reason }) => ({
      rule: "default.git.configuration",
      reason,
      subject,
      remedy: "Look at the configuration. Remove the setting, or approve this call.",
    })),
    ...findExposed(use, contained),
  ];
}

function findExposed(use: GitUse, contained: boolean): readonly Caution[] {
  const { line, tracked, startsAtRoot } = use;
  const printing = line.commands.filter(printsContent);
  if (tracked === undefined ? printing.length === 0 && !comparesWorkTree(use) : printing.length === 0) return [];
  const remedy = "Approve this call, or leave these files out of it with a path, such as -- src.";
  const rule = "default.git.credentials";
  if (tracked === undefined)
    return [
      {
        rule,
        remedy,
        subject: "index",
        reason: "The repository's index is of a form that is not read, so git may print or change a credential file.",
      },
    ];
  const wanted = tracked.filter(
    ({ changed }) =>
      changed || (!contained && printing.some(printsUnchanged)) || printing.some((command) => !command.isLast || picks(command)),
  );
  const shown = wanted.filter(({ path }) => !startsAtRoot || !printing.every((command) => leavesOut(command, path)));
  if (shown.length === 0) return [];
  const names = shown.map(({ path }) => path);
  return [{ rule, remedy, subject: names.join(", "), reason: `The repository tracks ${listNames(names)}, whose content this may print.` }];
}

const printers = new Set(["cat-file", "diff", "diff-tree", "grep", "log", "reflog", "show", "stash", "whatchanged"]);
const summaries =
  /^--(?:stat|numstat|shortstat|name-only|name-status|summary|dirstat|compact-summary|raw|check|quiet|no-patch|oneline)(?:=|$)|^-s$|^-q$/;
const patches =
  /^(?:-[a-zA-Z]*[pu]|--patch(?:-with-stat)?|--cc|-c|-m|-[SGL].*|-U.*|--unified.*|--color-words.*|--word-diff.*|--binary|-W|--full-diff)$/;

/** True when the command may print the content of files that it was not given by name. */
function printsContent({ subcommand, words }: GitCommand): boolean {
  if (!printers.has(subcommand)) return false;
  const rest = words.slice(words.indexOf(subcommand) + 1);
  if (rest.some((word) => patches.test(word))) return subcommand !== "grep" || searchesHistory(rest);
  if (subcommand === "grep") return searchesHistory(rest);
  if (subcommand === "log" || subcommand === "reflog") return false;
  if (subcommand === "stash") return rest.includes("show");
  return !rest.some((word) => summaries.test(word));
}

/** False where the work tree is compared with the index alone. */
function printsUnchanged({ subcommand, words }: GitCommand): boolean {
  const rest = words.slice(words.indexOf(subcommand) + 1);
  return subcommand !== "diff" || rest.some((word) => !word.startsWith("-") || /^--(?:cached|staged|merge-base)$/.test(word));
}

/** A search of the work tree finds the files hidden; one of the index or a commit does not. */
function searchesHistory(words: readonly string[]): boolean {
  const ends = words.indexOf("--");
  const operands = (ends < 0 ? words : words.slice(0, ends)).filter((word) => !word.startsWith("-"));
  return words.includes("--cached") || operands.length > 1;
}

/** True when the answer tells by its form what the content is, so that leaving values out of it would not help. */
function picks({ subcommand, words }: GitCommand): boolean {
  return subcommand === "grep" || words.some((word) => /^-[SG]|^--(?:word-diff|color-words|pickaxe)/.test(word));
}

/** True when paths after `--` name other folders and files. */
function leavesOut({ words }: GitCommand, path: string): boolean {
  const at = words.indexOf("--");
  const paths = at < 0 ? [] : words.slice(at + 1);
  return (
    paths.length > 0 &&
    paths.every(
      (one) =>
        /^[\w@+-][\w@./+-]*$/.test(one) &&
        !/(?:^|\/)\.{1,2}(?:\/|$)/.test(one) &&
        !isInside(`/${one.replace(/(?<!\/)\/+$/, "")}`, `/${path}`),
    )
  );
}

function listNames(names: readonly string[]): string {
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return `${names
    .slice(0, 3)
    .map((name) => JSON.stringify(name))
    .join(", ")}${more}`;
}

/** Cautions of one line; further ones are not shown, and their number is. */
const mostCautions = 10;

const unknown = (subject: string, reason: string): Caution => ({
  rule: "default.git.unknown",
  reason,
  subject,
  remedy: "Approve this call, or look at the workspace.",
});

/** What only the workspace can say against a command line. None without a workspace or folder: starting says so. */
export async function findCautions(
  views: WorkspaceViews,
  workspaceOf: () => string,
  { command, workdir }: Pick<CommandSpec, "command" | "workdir">,
): Promise<readonly Caution[]> {
  if (!/git|\bgh\b|glab|hub|\btig\b|\bjj\b|\bstg\b/i.test(command)) return [];
  const place = await findPlace(workspaceOf, workdir).catch(() => undefined);
  if (!place) return [];
  try {
    return judgeGitUse(await views.look(place.workspace), { command, workdir: place.workdir });
  } catch {
    return [unknown("workspace", "The workspace could not be looked through, so what git would obey in it is not known.")];
  }
}

async function findPlace(workspaceOf: () => string, workdir: CommandSpec["workdir"]) {
  const workspace = workspaceOf();
  return { workspace, workdir: await confineWorkdir(workspace, workdir) };
}

/** The cautions for a line in a workspace that was looked at. */
export function judgeGitUse(view: WorkspaceView, placed: CommandInFolder): readonly Caution[] {
  const use = findGitUse(view, placed);
  if (!use) return [];
  const found = cautionsOf(use, placed);
  const reason = view.isComplete
    ? "The command names too many folders to look at the repository of each, so what git would obey is not known."
    : "The workspace has too many folders to find every repository in it, so what git would obey is not known.";
  const cautions = view.isComplete && use.isComplete ? found : [unknown("folders", reason), ...found];
  if (cautions.length <= mostCautions) return cautions;
  const rest = cautions.slice(mostCautions);
  const [first] = rest;
  const subject = rest.map((caution) => caution.subject).join("\n");
  return [
    ...cautions.slice(0, mostCautions),
    { ...(first as Caution), subject, reason: `${first?.reason} There are ${rest.length - 1} more like it.` },
  ];
}
