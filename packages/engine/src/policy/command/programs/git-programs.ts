import type { Objection } from "../judge-path-word.ts";
import type { ProgramRule } from "../program-rule.ts";
import { optionTable, type ScannedArguments } from "../scan-arguments.ts";

/** git reads the repository's own settings, so it runs only in the folder that the rule meant. */
const repository = { trustsFolder: true } as const;
const reading = { ...repository, readOnly: true, operands: "read" } as const;

const diffOptions =
  "-p -u -s -U= --unified= --patch --no-patch --raw --minimal --patience --histogram --anchored= --diff-algorithm= --stat? --numstat --shortstat --dirstat? --summary --patch-with-stat -z --name-only --name-status --color? --no-color --color-moved? --word-diff? --word-diff-regex= --no-renames --check --full-index --binary --abbrev? -B? -M? -C? --find-renames? --find-copies? --find-copies-harder -D --diff-filter= -S= -G= --pickaxe-all --pickaxe-regex -R --relative? -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -W --function-context --exit-code --quiet --no-ext-diff --no-textconv --src-prefix= --dst-prefix= --no-prefix -q";
const logOptions = `${diffOptions} -n= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep -i --regexp-ignore-case -E -F -P --merges --no-merges --first-parent --all --branches? --tags? --remotes? --oneline --pretty? --format= --abbrev-commit --no-abbrev-commit --date= --relative-date --graph --decorate? --no-decorate --decorate-refs= --reverse --follow --left-right --cherry-pick --cherry-mark --topo-order --date-order --author-date-order --no-walk -g --walk-reflogs --source --cc -c -m -L= --no-notes --simplify-by-decoration --boundary --ancestry-path --dense --full-history`;

const git = (reason: string, options: string, more: Partial<ProgramRule> = {}): ProgramRule => ({
  ...reading,
  reason,
  options: optionTable(options),
  ...more,
});
const listing = (options: string) => git("Lists; without operands it changes nothing.", options, { operands: undefined });

/** One operand is read; a second one would be set. */
function checkConfig({ operands }: ScannedArguments): Objection {
  return /^(?:user|core|init|branch|pull|merge|diff)\./.test(operands[0]?.text ?? "") ? undefined : "the setting may hold credentials";
}

/** Patterns choose among what is listed; without an option that lists, the operand would be created. */
const listingWith = (names: string, options: string): ProgramRule =>
  git("Lists; creating and deleting are left out.", options, {
    operands: "text",
    check: ({ options: given, operands }) =>
      operands.length === 0 || given.some(({ name }) => names.split(" ").includes(name))
        ? undefined
        : "without --list it may create something",
  });
const plainNames = ({ operands }: ScannedArguments): Objection =>
  operands.every(({ text }) => /^[A-Za-z0-9@][\w./@{}~^-]*$/.test(text)) ? undefined : "it names more than plain branches and commits";
const changing = (reason: string, options: string): ProgramRule =>
  git(reason, options, { readOnly: false, operands: "text", pinned: 2, check: plainNames });

/** A folder of the workspace, taken as a remote, would run its hooks; so the remote has one of the usual names. */
function remoteCommand(reason: string, options: string): ProgramRule {
  const check = ({ operands: [remote, ...names] }: ScannedArguments): Objection =>
    (remote === undefined || /^(?:origin|upstream)$/.test(remote.text)) && names.every(({ text }) => /^[A-Za-z0-9][\w./-]*$/.test(text))
      ? undefined
      : "it names another remote than origin or upstream, or more than plain branches";
  return { ...repository, reason, operands: "text", pinned: 2, options: optionTable(options), check };
}

/** Subcommands of git that are reviewed. --output, --ext-diff, --textconv, --no-index, -O and everything that runs or writes is left out. */
export const gitRule: ProgramRule = {
  ...repository,
  reason: "git, by subcommand; -c, -C, --git-dir, --exec-path and the like, which change what runs, are left out.",
  options: optionTable("--no-pager -P --no-optional-locks --version"),
  neutral: new Set(["--no-pager", "-P", "--no-optional-locks"]),
  readOnly: true,
  subcommands: new Map<string, ProgramRule>([
    [
      "status",
      git(
        "Prints the state of the work tree.",
        "-s -b -u? -v -z --short --branch --porcelain? --long --untracked-files? --ignored? --show-stash --ahead-behind --no-ahead-behind --renames --no-renames --column? --no-column",
      ),
    ],
    ["diff", git("Prints changes.", `${diffOptions} --cached --staged --merge-base`)],
    ["log", git("Prints history.", logOptions, { numbers: true })],
    ["show", git("Prints objects.", logOptions, { numbers: true })],
    ["whatchanged", git("Prints history.", logOptions, { numbers: true })],
    ["rev-list", git("Lists commits.", `${logOptions} --count --objects`, { numbers: true })],
    ["reflog", git("Prints where references were.", logOptions, { numbers: true, operands: undefined })],
    ["shortlog", git("Sums history.", "-s -n -e -c --summary --numbered --email --since= --until= --all --no-merges")],
    [
      "blame",
      git("Prints who wrote lines.", "-L= -w -M -C -e -s -l -t -n -f -p --porcelain --line-porcelain --date= --show-email --since="),
    ],
    [
      "ls-files",
      git(
        "Lists files.",
        "-c -d -m -o -i -s -t -u -z -v -k --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard -x= --exclude= --full-name --error-unmatch --directory --no-empty-directory --deduplicate --eol",
        { listsFiles: (words) => !words.some((word) => /^-[a-z]*[stv]|--(?:stage|eol)/.test(word.text)) },
      ),
    ],
    ["ls-tree", git("Lists files of a commit.", "-r -d -t -l -z --name-only --name-status --full-name --full-tree --long --abbrev?")],
    [
      "rev-parse",
      git(
        "Resolves names.",
        "--short? --verify -q --quiet --abbrev-ref? --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --is-inside-work-tree --is-bare-repository --all --branches --tags",
      ),
    ],
    [
      "describe",
      git("Names a commit.", "--tags --all --always --dirty? --long --abbrev= --match= --exclude= --exact-match --contains --candidates="),
    ],
    ["merge-base", git("Finds a common commit.", "-a --all --is-ancestor --octopus --fork-point")],
    ["cat-file", git("Prints an object; --textconv and --filters are left out.", "-t -s -p -e")],
    ["count-objects", listing("-v -H --verbose --human-readable")],
    ["show-ref", git("Lists references.", "--heads --tags --head --hash? -s --verify -q -d --dereference --abbrev?", { operands: "text" })],
    [
      "for-each-ref",
      git("Lists references.", "--count= --sort= --format= --color? --points-at= --merged? --no-merged? --contains?", { operands: "text" }),
    ],
    ["name-rev", git("Names a commit.", "--tags --refs= --all --name-only --always")],
    [
      "branch",
      listingWith(
        "--list --merged --no-merged --contains --no-contains",
        "-a -r -v -l --all --remotes --verbose --list --show-current --sort= --format= --no-color --color? --column? --no-column --merged? --no-merged? --contains? --no-contains?",
      ),
    ],
    [
      "tag",
      listingWith(
        "-l --list --merged --contains --points-at",
        "-l -n? --list --sort= --format= --column? --merged? --no-merged? --contains? --points-at=",
      ),
    ],
    [
      "remote",
      git("Lists; only get-url is reviewed beside that.", "-v --verbose", {
        operands: "text",
        maxOperands: 2,
        check: ({ operands: [verb, name] }) =>
          verb === undefined || (verb.text === "get-url" && /^[\w-]+$/.test(name?.text ?? ""))
            ? undefined
            : "it may change or ask a remote",
      }),
    ],
    [
      "stash",
      {
        ...repository,
        readOnly: true,
        reason: "Without a word it would stash.",
        subcommands: new Map([
          ["list", listing("--oneline --stat")],
          ["show", git("Prints a stash.", diffOptions, { maxOperands: 1 })],
          ["push", changing("Puts changes aside.", "-m= --message= -q --quiet -k --keep-index -S --staged")],
          ["pop", changing("Brings changes back.", "-q --quiet --index")],
          ["apply", changing("Brings changes back.", "-q --quiet --index")],
        ]),
        needsSubcommand: true,
      },
    ],
    [
      "worktree",
      { ...repository, readOnly: true, reason: "Only the list is read.", subcommands: new Map([["list", listing("-v --porcelain")]]) },
    ],
    [
      "config",
      {
        ...reading,
        operands: "text",
        reason: "Prints one setting; listing all of them may print credentials.",
        options: optionTable("--get --get-all --local --global --bool --int --type= --default="),
        maxOperands: 1,
        check: checkConfig,
      },
    ],
    [
      "grep",
      git(
        "Prints matching lines; -O, which opens a program, is left out.",
        "-n -i -I -l -L -c -w -v -E -F -G -P -h -H -o -q -r -e= -A= -B= -C= -p -W --cached --untracked --line-number --ignore-case --name-only --files-with-matches --count --word-regexp --extended-regexp --fixed-strings --perl-regexp --and --or --not --all-match --heading --break --max-depth= --color? --no-color --column --context= --max-count= -m= --full-name",
        { textFirst: { count: 1, unless: ["-e"] } },
      ),
    ],
    [
      "commit",
      git(
        "Records what is staged; hooks of the repository run.",
        "-m= --message= -a --all -q --quiet -v --verbose --allow-empty -s --signoff --amend --no-edit -F= --file= --author= --date= --no-gpg-sign --dry-run --short --trailer=",
        {
          readOnly: false,
          check: ({ options }) =>
            options.some(({ name, value }) => /^(?:-F|--file)$/.test(name) && value?.text !== "-")
              ? "git commit would copy a file into the history"
              : undefined,
        },
      ),
    ],
    ["add", git("Stages files.", "-A -u -n -v -f -N --all --update --dry-run --verbose --intent-to-add", { readOnly: false })],
    ["switch", git("Changes branch.", "-c= --create= --detach -q --quiet", { readOnly: false })],
    [
      "apply",
      git("Looks at a patch; applying it is left out.", "--check --stat --numstat --summary -v --verbose", {
        check: ({ options }) =>
          options.some(({ name }) => !name.startsWith("-v") && name !== "--verbose") ? undefined : "it would change files",
      }),
    ],
    ["check-ignore", git("Says what is ignored.", "-q -v -n --quiet --verbose --non-matching --no-index")],
    [
      "diff-tree",
      git("Prints changes between trees.", `${diffOptions} -r -t --root --no-commit-id --pretty? --format= -m -c --cc`, {
        operands: "read",
      }),
    ],
    [
      "merge",
      changing(
        "Merges commits; strategies and files of messages are left out.",
        "--no-ff --ff-only --squash --no-edit --no-commit -m= -q --quiet --abort --continue",
      ),
    ],
    [
      "rebase",
      changing("Replays commits; -x, -i and strategies are left out.", "--abort --continue --skip --onto= -q --quiet --autostash"),
    ],
    ["cherry-pick", changing("Applies commits.", "-x -n --no-commit --abort --continue --skip")],
    [
      "reset",
      git("Unstages, or sets the branch; what is lost by --hard is lost.", "--soft --mixed --hard -q --quiet", {
        readOnly: false,
        pinned: 2,
      }),
    ],
    ["rm", git("Removes files that git keeps.", "-r -f -q --quiet --cached -n --dry-run", { readOnly: false, operands: "write" })],
    ["mv", git("Moves files that git keeps.", "-f -k -n -v --dry-run --verbose", { readOnly: false, operands: "write" })],
    ["ls-remote", remoteCommand("Lists a usual remote.", "--heads --tags --refs -q --quiet --exit-code --sort=")],
    ["fetch", remoteCommand("Fetches from a usual remote.", "--all --prune -p --tags -t --depth= -q --quiet -v --dry-run")],
    ["pull", remoteCommand("Pulls from a usual remote.", "--rebase --no-rebase --ff-only -q --quiet -v --prune")],
    [
      "push",
      remoteCommand(
        "Pushes to a usual remote; forcing, deleting and other places are left out.",
        "-u --set-upstream -q --quiet -v --dry-run -n --tags --follow-tags",
      ),
    ],
    ["checkout", git("Changes branch or restores files.", "-b= -q --quiet --detach --track -t", { readOnly: false })],
    ["restore", git("Restores files.", "--staged -S --worktree -W -q --quiet --source= -s=", { readOnly: false, operands: "write" })],
  ]),
};
