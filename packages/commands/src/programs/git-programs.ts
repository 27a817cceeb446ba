import type { Objection } from "../words/judge-path-word.ts";
import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments } from "../words/scan-arguments.ts";
import { gitChanging } from "./git-changing.ts";
import { gitHistory } from "./git-history.ts";
import { gitListings } from "./git-listings.ts";
import { repository } from "./git-review.ts";

/** A folder of the workspace, taken as a remote, would run its hooks; so the remote has one of the usual names. */
function remoteCommand(reason: string, options: string, examples: ProgramRule["examples"]): ProgramRule {
  const check = ({ operands: [remote, ...names] }: ScannedArguments): Objection =>
    (remote === undefined || /^(?:origin|upstream)$/.test(remote.text)) && names.every(({ text }) => /^[A-Za-z0-9][\w./-]*$/.test(text))
      ? undefined
      : "it names another remote than origin or upstream, or more than plain branches";
  return { ...repository, reason, operands: "text", pinned: 2, options: optionTable(options), check, examples };
}

const remoteCommands: ProgramTable = {
  "ls-remote": remoteCommand("Lists a usual remote.", "--heads --tags --refs -q --quiet --exit-code --sort=", {
    match: ["git ls-remote --heads origin"],
    notMatch: ["git ls-remote ext::x", "git ls-remote https://x", "git ls-remote ./x", "git ls-remote --upload-pack=./x origin"],
  }),
  fetch: remoteCommand("Fetches from a usual remote.", "--all --prune -p --tags -t --depth= -q --quiet -v --dry-run", {
    match: ["git fetch", "git fetch --prune origin"],
    notMatch: ["git fetch ext::x", "git fetch evil", "git fetch --upload-pack ./x origin", "git fetch --recurse-submodules origin"],
  }),
  pull: remoteCommand("Pulls from a usual remote.", "--rebase --no-rebase --ff-only -q --quiet -v --prune", {
    match: ["git pull --rebase", "git pull origin main"],
    notMatch: ["git pull ext::x", "git pull --upload-pack=./x", "git pull -s evil", "git pull . x"],
  }),
  push: remoteCommand(
    "Pushes to a usual remote; forcing, deleting and other places are left out.",
    "-u --set-upstream -q --quiet -v --dry-run -n --tags --follow-tags",
    {
      match: ["git push origin main", "git push -u origin feat/x"],
      notMatch: [
        "git push . HEAD:x",
        "git push evil main",
        "git push origin +main",
        "git push --force origin main",
        "git push origin :main",
        "git push --receive-pack=./x origin",
        "git push --delete origin x",
        "git push --mirror",
      ],
    },
  ),
};

/** git by its subcommands. */
export const gitRule: ProgramRule = {
  ...repository,
  reason: "git, by subcommand; -c, -C, --git-dir, --exec-path and the like, which change what runs, are left out.",
  options: optionTable("--no-pager -P --no-optional-locks --version"),
  neutral: new Set(["--no-pager", "-P", "--no-optional-locks"]),
  readOnly: true,
  subcommands: new Map(Object.entries({ ...gitHistory, ...gitListings, ...gitChanging, ...remoteCommands })),
  examples: {
    match: ["git --version", "git --no-pager log -1"],
    notMatch: [
      "git -c core.pager=./x log",
      "git -C .. status",
      "git --exec-path=. status",
      "git --git-dir=x status",
      "git -p log",
      "git gc",
      "git bisect run ./x",
      "git submodule update",
      "git filter-branch",
      "git push",
      "git push origin main",
      "git daemon",
    ],
  },
};
