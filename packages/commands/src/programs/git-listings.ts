import type { Objection } from "../words/judge-path-word.ts";
import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import type { ScannedArguments } from "../words/scan-arguments.ts";
import { git, refuseTop, repository } from "./git-review.ts";
import { gitFilesWalk } from "./tree-walks.ts";

const listing = (options: string, examples: ProgramRule["examples"]) =>
  git("Lists; without operands it changes nothing.", options, { operands: undefined, examples });

/** One operand is read; a second one would be set. */
function checkConfig({ operands }: ScannedArguments): Objection {
  return /^(?:user|core|init|branch|pull|merge|diff)\./.test(operands[0]?.text ?? "") ? undefined : "the setting may hold credentials";
}

/** Patterns choose among what is listed; without an option that lists, the operand would be created. */
const listingWith = (names: string, options: string, examples: ProgramRule["examples"]): ProgramRule =>
  git("Lists; creating and deleting are left out.", options, {
    operands: "text",
    check: ({ options: given, operands }) =>
      operands.length === 0 || given.some(({ name }) => names.split(" ").includes(name))
        ? undefined
        : "without --list it may create something",
    examples,
  });

/** Subcommands of git that list and name. */
export const gitListings: ProgramTable = {
  "ls-files": git(
    "Lists files.",
    "-c -d -m -o -i -s -t -u -z -v -k --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard -x= --exclude= --full-name --error-unmatch --directory --no-empty-directory --deduplicate --eol",
    {
      walks: gitFilesWalk,
      check: refuseTop,
      listsFiles: (words) => !words.some((word) => /^-[a-z]*[stv]|--(?:stage|eol|full-name)/.test(word.text)),
      examples: {
        match: ["git ls-files", "git ls-files -m src"],
        notMatch: [
          "git ls-files ':(top)src'",
          "git ls-files -X /etc/passwd",
          "git ls-files --exclude-from=x",
          "git ls-files | xargs rm",
          "git ls-files /etc",
        ],
      },
    },
  ),
  "ls-tree": git("Lists files of a commit.", "-r -d -t -l -z --name-only --name-status --full-name --full-tree --long --abbrev?", {
    examples: { match: ["git ls-tree -r --name-only HEAD"], notMatch: ["git ls-tree --format x HEAD /etc"] },
  }),
  "rev-parse": git(
    "Resolves names.",
    "--short? --verify -q --quiet --abbrev-ref? --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --is-inside-work-tree --is-bare-repository --all --branches --tags",
    {
      examples: {
        match: ["git rev-parse --abbrev-ref HEAD", "git rev-parse --show-toplevel"],
        notMatch: ["git rev-parse --parseopt", "git rev-parse --resolve-git-dir /root/.git", "git rev-parse --git-path x"],
      },
    },
  ),
  describe: git(
    "Names a commit.",
    "--tags --all --always --dirty? --long --abbrev= --match= --exclude= --exact-match --contains --candidates=",
    {
      examples: { match: ["git describe --tags --always"], notMatch: ["git describe --debug", "git --git-dir x describe"] },
    },
  ),
  "merge-base": git("Finds a common commit.", "-a --all --is-ancestor --octopus --fork-point", {
    examples: { match: ["git merge-base main HEAD"], notMatch: ["git merge-base --stdin x", "git -c a.b=c merge-base a b"] },
  }),
  "count-objects": listing("-v -H --verbose --human-readable", { match: ["git count-objects -vH"], notMatch: ["git count-objects x"] }),
  "show-ref": git("Lists references.", "--heads --tags --head --hash? -s --verify -q -d --dereference --abbrev?", {
    operands: "text",
    examples: { match: ["git show-ref --tags"], notMatch: ["git show-ref --exclude-existing"] },
  }),
  "for-each-ref": git("Lists references.", "--count= --sort= --format= --color? --points-at= --merged? --no-merged? --contains?", {
    operands: "text",
    examples: {
      match: ["git for-each-ref --sort=-committerdate refs/heads"],
      notMatch: ["git for-each-ref --shell", "git for-each-ref --format='%(signature)'", "git for-each-ref --stdin"],
    },
  }),
  "name-rev": git("Names a commit.", "--tags --refs= --all --name-only --always", {
    examples: { match: ["git name-rev HEAD"], notMatch: ["git name-rev --stdin", "git name-rev --annotate-stdin"] },
  }),
  branch: listingWith(
    "--list --merged --no-merged --contains --no-contains",
    "-a -r -v -l --all --remotes --verbose --list --show-current --sort= --format= --no-color --color? --column? --no-column --merged? --no-merged? --contains? --no-contains?",
    {
      match: ["git branch -a", "git branch --show-current", "git branch --list 'feat/*'"],
      notMatch: ["git branch x", "git branch -D main", "git branch -m a b", "git branch -u origin/x", "git branch --edit-description"],
    },
  ),
  tag: listingWith(
    "-l --list --merged --contains --points-at",
    "-l -n? --list --sort= --format= --column? --merged? --no-merged? --contains? --points-at=",
    {
      match: ["git tag", "git tag -l 'v1.*'"],
      notMatch: ["git tag x", "git tag -d x", "git tag -a x -m y", "git tag -F /etc/passwd x", "git tag -v x"],
    },
  ),
  remote: git("Lists; only get-url is reviewed beside that.", "-v --verbose", {
    showsRemotes: true,
    operands: "text",
    maxOperands: 2,
    check: ({ operands: [verb, name] }) =>
      verb === undefined || (verb.text === "get-url" && /^[\w-]+$/.test(name?.text ?? "")) ? undefined : "it may change or ask a remote",
    examples: {
      match: ["git remote -v", "git remote get-url origin"],
      notMatch: [
        "git remote add x https://x",
        "git remote set-url origin https://x",
        "git remote update",
        "git remote show origin",
        "git remote remove origin",
      ],
    },
  }),
  worktree: {
    ...repository,
    readOnly: true,
    reason: "Only the list is read.",
    needsSubcommand: true,
    subcommands: new Map([
      ["list", listing("-v --porcelain", { match: ["git worktree list --porcelain"], notMatch: ["git worktree list ../x"] })],
    ]),
    examples: { match: [], notMatch: ["git worktree add ../x", "git worktree remove x", "git worktree prune", "git worktree move a b"] },
  },
  config: git(
    "Prints one setting; listing all of them may print credentials.",
    "--get --get-all --local --global --bool --int --type= --default=",
    {
      operands: "text",
      maxOperands: 1,
      check: checkConfig,
      examples: {
        match: ["git config user.name", "git config --get core.autocrlf"],
        notMatch: [
          "git config core.pager x",
          "git config --list",
          "git config --get remote.origin.url",
          "git config -f /etc/x user.name",
          "git config --unset user.name",
          "git config -e",
        ],
      },
    },
  ),
  "check-ignore": git("Says what is ignored.", "-q -v -n --quiet --verbose --non-matching --no-index", {
    examples: { match: ["git check-ignore -v build"], notMatch: ["git check-ignore --stdin", "git check-ignore /etc/passwd"] },
  }),
};
