import { createHash } from "node:crypto";
import type { GitLine } from "@toolwright/commands";
import { isProgram, judgeSetting } from "./known-settings.ts";
import type { FileSetting, Repository } from "./read-repository.ts";

/** Something in a repository that a git command may obey by starting a program. */
interface ObeyedSetting {
  /** What it is, as words that differ when it does: file, key and value, or the problem. */
  readonly subject: string;
  /** One sentence for people. */
  readonly reason: string;
}

/** Commands that never reach another repository, unless this one gets what it lacks from there. */
const localCommands = new Set(
  `add apply blame branch cat-file check-ignore cherry-pick checkout commit config count-objects describe diff diff-tree for-each-ref grep log
  ls-files ls-tree merge merge-base mv name-rev rebase reflog remote reset restore rev-list rev-parse rm shortlog show show-ref stash status
  switch tag whatchanged worktree init version help`.split(/\s+/),
);
/** Arguments of `git remote` and `git archive` that ask a remote. */
const asksRemotes = /^(?:update|show-branch|prune|set-head|--remote(?:=.*)?)$/;
const shownLength = 200;

/** What of the repositories is not known to be harmless for these commands. */
export function findObeyed(repositories: readonly Repository[], { commands }: Pick<GitLine, "commands">): readonly ObeyedSetting[] {
  if (commands.length === 0) return [];
  const isLocal = commands.every(({ subcommand, words }) => localCommands.has(subcommand) && !words.some((word) => asksRemotes.test(word)));
  // Names of settings, and so of aliases, are compared without case.
  const words = new Set(commands.flatMap((command) => command.words.map((word) => word.toLowerCase())));
  const first = commands[0]?.subcommand ?? "";
  const found = repositories.flatMap((repository) => {
    const fetches = !isLocal || repository.settings.some(isPromise);
    const obeyed = repository.settings.filter((placed) => isObeyed(placed, { fetches, words }));
    return [...repository.problems.map(describeProblem), ...obeyed.map((placed) => describeSetting(placed, first))];
  });
  return [...new Map(found.map((one) => [one.subject, one])).values()];
}

/** Objects that are missing are fetched by commands that only look. */
function isPromise({ setting: { section, name } }: FileSetting): boolean {
  return (section === "remote" && name === "promisor") || (section === "extensions" && name === "partialclone");
}

interface Use {
  readonly fetches: boolean;
  readonly words: ReadonlySet<string>;
}

function isObeyed({ file, setting }: FileSetting, { fetches, words }: Use): boolean {
  const { section, subsection, name, value = "" } = setting;
  // An alias never stands above a command of git's own, so only one that is called matters.
  if (section === "alias") return words.has((subsection ?? name).toLowerCase());
  // git writes it for each submodule.
  if (setting.key === "core.worktree") return !/(?:^|\/)\.git\/modules\//.test(file) || value.startsWith("/");
  const { commands } = judgeSetting(setting);
  return commands === "all" || (commands === "fetching" && fetches);
}

function describeProblem(problem: string): ObeyedSetting {
  return { subject: problem, reason: `${problem}.` };
}

function describeSetting({ file, setting }: FileSetting, command: string): ObeyedSetting {
  const { key, value = "true" } = setting;
  const shown = isProgram(setting) ? ` = ${cut(hideUserInfo(value))}` : "";
  const mark = createHash("sha256")
    .update(JSON.stringify([key, value]))
    .digest("hex")
    .slice(0, 16);
  const who = command === "" ? "git" : `git ${command}`;
  const why = isProgram(setting)
    ? `names a program that ${who} may run: ${key}${shown}`
    : `holds ${key}, a setting that is not known to be harmless to ${who}`;
  return { subject: `${file}: ${key}${shown} (${mark})`, reason: `The repository's configuration ${file} ${why}.` };
}

const cut = (text: string) => (text.length > shownLength ? `${text.slice(0, shownLength)}...` : text);
const hideUserInfo = (text: string) => text.replace(/:\/\/[^\s/@]*@/g, "://<credentials>@");
