import { isProtectedPath } from "../targets/path-text.ts";
import { judgePathWord } from "../words/judge-path-word.ts";
import type { ProgramTable } from "../words/program-rule.ts";
import { changing, diffOptions, git, repository } from "./git-review.ts";
import { gitAddWalk } from "./tree-walks.ts";

/** Subcommands of git that change the work tree or the history. None is built in. */
export const gitChanging: ProgramTable = {
  stash: {
    ...repository,
    readOnly: true,
    reason: "Without a word it would stash.",
    needsSubcommand: true,
    subcommands: new Map([
      [
        "list",
        git("Lists; without operands it changes nothing.", "--oneline --stat", {
          operands: undefined,
          examples: { match: ["git stash list --stat"], notMatch: ["git stash list -p --ext-diff"] },
        }),
      ],
      [
        "show",
        git("Prints a stash.", diffOptions, {
          maxOperands: 1,
          examples: { match: ["git stash show -p"], notMatch: ["git stash show --ext-diff", "git stash show --textconv"] },
        }),
      ],
      [
        "push",
        changing("Puts changes aside.", "-m= --message= -q --quiet -k --keep-index -S --staged", {
          examples: {
            match: ["git stash push -m wip"],
            notMatch: ["git stash push -p", "git stash push --pathspec-from-file=x", "git stash push -- ~/x"],
          },
        }),
      ],
      [
        "pop",
        changing("Brings changes back.", "-q --quiet --index", {
          examples: { match: ["git stash pop", "git stash pop 'stash@{1}'"], notMatch: ["git stash pop -x"] },
        }),
      ],
      [
        "apply",
        changing("Brings changes back.", "-q --quiet --index", {
          examples: { match: ["git stash apply"], notMatch: ["git stash apply -x"] },
        }),
      ],
    ]),
    examples: { match: [], notMatch: ["git stash", "git stash drop", "git stash clear", "git stash -p", "git stash -- a"] },
  },
  commit: git(
    "Records what is staged; hooks of the repository run.",
    "-m= --message= -a --all -q --quiet -v --verbose --allow-empty -s --signoff --amend --no-edit -F= --file= --author= --date= --no-gpg-sign --dry-run --short --trailer=",
    {
      readOnly: false,
      check: ({ options }) =>
        options.some(({ name, value }) => /^(?:-F|--file)$/.test(name) && value?.text !== "-")
          ? "git commit would copy a file into the history"
          : undefined,
      examples: {
        match: ["git commit -m 'x'", `git commit -am "fix: it's done"`, 'git commit -m "a\n\nb"', "git commit --amend --no-edit"],
        notMatch: [
          "git commit -F /etc/passwd",
          "git commit -t /etc/passwd",
          "git commit --template=x",
          "git commit -S -m x",
          "git commit --pathspec-from-file=x",
          "git commit -n -m x",
          "git commit --no-verify -m x",
        ],
      },
    },
  ),
  add: git("Stages files.", "-A -u -n -v -f -N --all --update --dry-run --verbose --intent-to-add", {
    readOnly: false,
    walks: gitAddWalk,
    examples: {
      match: ["git add src/a.ts", "git add -A"],
      notMatch: [
        "git add -p",
        "git add -i",
        "git add -e",
        "git add /etc/passwd",
        "git add --pathspec-from-file=x",
        "git add -f .env",
        "git add --chmod=+x a",
      ],
    },
  }),
  switch: git("Changes branch.", "-c= --create= --detach -q --quiet", {
    readOnly: false,
    replacesFiles: true,
    examples: {
      match: ["git switch main", "git switch -c feat/x"],
      notMatch: ["git switch -f main", "git switch --discard-changes main", "git switch --orphan x", "git switch --recurse-submodules x"],
    },
  }),
  merge: changing(
    "Merges commits; strategies and files of messages are left out.",
    "--no-ff --ff-only --squash --no-edit --no-commit -m= -q --quiet --abort --continue",
    {
      examples: {
        match: ["git merge feat/x", "git merge --no-ff origin/main", "git merge --abort"],
        notMatch: [
          "git merge -s evil x",
          "git merge -X theirs x",
          "git merge -F /etc/passwd x",
          "git merge -S x",
          "git merge --no-verify x",
        ],
      },
    },
  ),
  rebase: changing("Replays commits; -x, -i and strategies are left out.", "--abort --continue --skip --onto= -q --quiet --autostash", {
    examples: {
      match: ["git rebase main", "git rebase --continue"],
      notMatch: [
        "git rebase -i main",
        "git rebase -x 'id' main",
        "git rebase --exec=id main",
        "git rebase -s evil main",
        "git rebase --no-verify main",
      ],
    },
  }),
  "cherry-pick": changing("Applies commits.", "-x -n --no-commit --abort --continue --skip", {
    examples: {
      match: ["git cherry-pick abc123", "git cherry-pick --abort"],
      notMatch: ["git cherry-pick -e abc", "git cherry-pick --strategy=evil abc", "git cherry-pick -S abc"],
    },
  }),
  reset: git("Unstages, or sets the branch; what is lost by --hard is lost.", "--soft --mixed --hard -q --quiet", {
    readOnly: false,
    replacesFiles: true,
    pinned: 2,
    examples: {
      match: ["git reset HEAD~1", "git reset --soft HEAD~1"],
      notMatch: ["git reset -p", "git reset --pathspec-from-file=x", "git reset --recurse-submodules"],
    },
  }),
  rm: git("Removes files that git keeps.", "-r -f -q --quiet --cached -n --dry-run", {
    readOnly: false,
    operands: "delete",
    examples: { match: ["git rm --cached build/x"], notMatch: ["git rm -r .", "git rm --pathspec-from-file=x", "git rm ../x"] },
  }),
  mv: git("Moves files that git keeps.", "-f -k -n -v --dry-run --verbose", {
    readOnly: false,
    replacesFiles: true,
    operands: "write",
    examples: { match: ["git mv a.ts b.ts"], notMatch: ["git mv a ../b", "git mv a .git/hooks/x"] },
  }),
  checkout: git("Changes branch or restores files.", "-b= -q --quiet --detach --track -t", {
    readOnly: false,
    replacesFiles: true,
    check: ({ operands }) => {
      const obeyed = operands.find(({ text }) => isProtectedPath(text, "write"));
      return obeyed && `${JSON.stringify(obeyed.text)} is protected, or a tool may obey it once somebody opens the folder`;
    },
    examples: {
      match: ["git checkout -b feat/x", "git checkout main", "git checkout main -- src/a.ts", "git checkout ."],
      notMatch: [
        "git checkout main -- .zed/settings.json",
        "git checkout .envrc",
        "git checkout /etc",
        "git checkout -f",
        "git checkout -p",
        "git checkout --recurse-submodules x",
        "git checkout --pathspec-from-file=x",
      ],
    },
  }),
  restore: git(
    "Restores files; what is only unstaged stays as it is in the folder.",
    "--staged -S --worktree -W -q --quiet --source= -s=",
    {
      readOnly: false,
      replacesFiles: true,
      check: ({ options, operands }) => {
        const names = options.map(({ name }) => name);
        const unstages = names.some((name) => /^(?:-S|--staged)$/.test(name)) && !names.some((name) => /^(?:-W|--worktree)$/.test(name));
        return unstages ? undefined : operands.map((word) => judgePathWord(word, "write")).find((objection) => objection !== undefined);
      },
      examples: {
        match: ["git restore src/a.ts", "git restore --staged src/a.ts", "git restore --staged ."],
        notMatch: [
          "git restore .",
          "git restore -SW .",
          "git restore .git/config",
          "git restore -p",
          "git restore --pathspec-from-file=x",
          "git restore ../x",
        ],
      },
    },
  ),
};
