import type { ProgramTable } from "../words/program-rule.ts";
import { diffOptions, git, logOptions, refuseTop } from "./git-review.ts";
import { gitGrepWalk } from "./tree-walks.ts";

/** Subcommands of git that print content and changes. --output, --ext-diff, --textconv, --no-index, -O and everything that runs or writes is left out. */
export const gitHistory: ProgramTable = {
  status: git(
    "Prints the state of the work tree.",
    "-s -b -u? -v -z --short --branch --porcelain? --long --untracked-files? --ignored? --show-stash --ahead-behind --no-ahead-behind --renames --no-renames --column? --no-column",
    {
      examples: {
        match: ["git status", "git status --short", "git  status   --short", "git --no-pager status"],
        notMatch: [
          "git status --porcelain > out",
          "git -C .. status",
          "git --exec-path=. status",
          "env GIT_DIR=x git status",
          "cd x && git status",
        ],
      },
    },
  ),
  diff: git("Prints changes.", `${diffOptions} --cached --staged --merge-base`, {
    examples: {
      match: ["git diff main..dev -- src", "git diff --cached --name-only", "git diff --name-only HEAD~1"],
      notMatch: ["git diff --ext-diff", "git diff --no-index /etc/passwd a", "git diff --output=x", "git diff -O x", "git diff .env"],
    },
  }),
  log: git("Prints history.", logOptions, {
    numbers: true,
    examples: {
      match: [
        "git log -p -2",
        "git log HEAD~3..HEAD",
        "git log 'HEAD@{1}'",
        `git log --since='2 weeks ago' --author="J D"`,
        "git log --pretty=format:'%h %s'",
        "git log -n5 --graph --all",
      ],
      notMatch: [
        "git log --output x",
        "git log --ext-diff",
        "git log --textconv",
        "git log --show-signature",
        "git log --format=%GK",
        "git log --pretty='%h %+G?'",
        "git -c core.pager=x log",
        "git log HEAD:../../x",
      ],
    },
  }),
  show: git("Prints objects.", logOptions, {
    numbers: true,
    examples: {
      match: ["git show HEAD:README.md", "git show HEAD^", "git show --stat HEAD"],
      notMatch: ["git show HEAD:.npmrc", "git show --ext-diff", "git show --textconv HEAD", "git show --output=x"],
    },
  }),
  whatchanged: git("Prints history.", logOptions, {
    numbers: true,
    examples: { match: ["git whatchanged -3"], notMatch: ["git whatchanged --ext-diff"] },
  }),
  "rev-list": git("Lists commits.", `${logOptions} --count --objects`, {
    numbers: true,
    examples: {
      match: ["git rev-list --count HEAD"],
      notMatch: ["git rev-list --output x HEAD", "git rev-list --use-bitmap-index HEAD"],
    },
  }),
  reflog: git("Prints where references were.", logOptions, {
    numbers: true,
    operands: undefined,
    examples: { match: ["git reflog", "git reflog -5"], notMatch: ["git reflog expire --all", "git reflog delete x"] },
  }),
  shortlog: git("Sums history.", "-s -n -e -c --summary --numbered --email --since= --until= --all --no-merges", {
    examples: { match: ["git shortlog -sn"], notMatch: ["git shortlog --output x"] },
  }),
  blame: git("Prints who wrote lines.", "-L= -w -M -C -e -s -l -t -n -f -p --porcelain --line-porcelain --date= --show-email --since=", {
    examples: {
      match: ["git blame -L 1,5 README.md"],
      notMatch: ["git blame --contents /etc/passwd a", "git blame --ignore-revs-file /etc/passwd a", "git blame -S /etc/passwd a"],
    },
  }),
  "cat-file": git("Prints an object; --textconv and --filters are left out.", "-t -s -p -e", {
    examples: {
      match: ["git cat-file -p HEAD", "git cat-file -t HEAD"],
      notMatch: ["git cat-file --textconv HEAD:a", "git cat-file --filters HEAD:a", "git cat-file --batch", "git cat-file -p HEAD:.env"],
    },
  }),
  grep: git(
    "Prints matching lines; -O, which opens a program, is left out.",
    "-n -i -I -l -L -c -w -v -E -F -G -P -h -H -o -q -r -e= -A= -B= -C= -p -W --cached --untracked --line-number --ignore-case --name-only --files-with-matches --count --word-regexp --extended-regexp --fixed-strings --perl-regexp --and --or --not --all-match --heading --break --max-depth= --color? --no-color --column --context= --max-count= -m= --full-name",
    {
      textFirst: { count: 1, unless: ["-e"] },
      walks: gitGrepWalk,
      check: refuseTop,
      examples: {
        match: ["git grep -n x src", "git grep -e a --and -e b", "git grep x -- ':!dist'"],
        notMatch: [
          "git grep x ':/'",
          "git grep -Ovi x",
          "git grep --open-files-in-pager=vi x",
          "git grep -f /etc/passwd",
          "git grep --no-index x /etc",
          "git grep --textconv x",
        ],
      },
    },
  ),
  apply: git("Looks at a patch; applying it is left out.", "--check --stat --numstat --summary -v --verbose", {
    check: ({ options }) =>
      options.some(({ name }) => !name.startsWith("-v") && name !== "--verbose") ? undefined : "it would change files",
    examples: {
      match: ["git apply --check a.patch", "git apply --stat a.patch"],
      notMatch: [
        "git apply a.patch",
        "git apply --check --apply a.patch",
        "git apply --unsafe-paths --check a",
        "git apply --check /etc/x",
        "git apply --build-fake-ancestor=x a",
      ],
    },
  }),
  "diff-tree": git("Prints changes between trees.", `${diffOptions} -r -t --root --no-commit-id --pretty? --format= -m -c --cc`, {
    examples: {
      match: ["git diff-tree -r --name-only HEAD"],
      notMatch: ["git diff-tree --ext-diff HEAD", "git diff-tree --textconv HEAD", "git diff-tree --stdin"],
    },
  }),
};
