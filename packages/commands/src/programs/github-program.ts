import type { ProgramRule } from "../words/program-rule.ts";
import { readingService } from "./service-rule.ts";

const group = (reason: string, subcommands: readonly (readonly [string, ProgramRule])[], notMatch: readonly string[]): ProgramRule => ({
  trustsFolder: true,
  reason,
  needsSubcommand: true,
  subcommands: new Map(subcommands),
  examples: { match: [], notMatch },
});

const lists =
  "-L= --limit= -s= --state= -l= --label= -a= --assignee= -A= --author= -S= --search= -B= --base= -H= --head= -d --draft --json=";
/** `gh NOUN VERB`: -R and addresses, which name another place, -w, which opens a browser, and -q and -t, which read the environment, are left out. */
const list = (noun: string, options = lists) =>
  readingService(`Lists ${noun}s of the repository.`, options, {
    operands: undefined,
    examples: {
      match: [`gh ${noun} list`, `gh ${noun} list --limit 5`],
      notMatch: [`gh ${noun} list -R a/b`, `gh ${noun} list --web`, `gh ${noun} list --json x -q env`, `gh ${noun} list https://x`],
    },
  });
const view = (noun: string, options: string) =>
  readingService(`Prints a ${noun} of the repository.`, options, {
    maxOperands: 1,
    examples: {
      match: [`gh ${noun} view 12`],
      notMatch: [`gh ${noun} view 12 -R a/b`, `gh ${noun} view https://evil.example/a/b/1`, `gh ${noun} view 12 --web`],
    },
  });
const pullRequest = (verb: string, options: string) =>
  readingService("Prints what is known of a pull request.", options, {
    maxOperands: 1,
    examples: {
      match: [`gh pr ${verb} 12`],
      notMatch: [`gh pr ${verb} 12 -R a/b`, `gh pr ${verb} https://evil.example/a/b/pull/1`, `gh pr ${verb} 12 --web`],
    },
  });

/** gh by its subcommands. */
export const gh = group(
  "Looks at the repository's host as the one who is logged in; whatever changes it, api and extensions are left out.",
  [
    [
      "pr",
      group(
        "Pull requests.",
        [
          ["list", list("pr")],
          ["view", view("pr", "-c --comments --json=")],
          ["diff", pullRequest("diff", "--name-only --patch --color=")],
          ["checks", pullRequest("checks", "--required --json=")],
        ],
        ["gh pr create", "gh pr merge 12", "gh pr checkout 12", "gh pr comment 12 -b x"],
      ),
    ],
    [
      "issue",
      group(
        "Issues.",
        [
          ["list", list("issue")],
          ["view", view("issue", "-c --comments --json=")],
        ],
        ["gh issue create", "gh issue close 12", "gh issue delete 12"],
      ),
    ],
    [
      "run",
      group(
        "Runs of workflows.",
        [
          ["list", list("run", "-L= --limit= -b= --branch= -s= --status= -w= --workflow= -e= --event= -u= --user= -c= --commit= --json=")],
          ["view", view("run", "-v --verbose --log --log-failed -j= --job= -a= --attempt= --exit-status --json=")],
        ],
        ["gh run download 12", "gh run rerun 12", "gh run cancel 12"],
      ),
    ],
    [
      "release",
      group(
        "Releases.",
        [
          ["list", list("release", "-L= --limit= --exclude-drafts --exclude-pre-releases --json=")],
          ["view", view("release", "--json=")],
        ],
        ["gh release create v1", "gh release download v1", "gh release delete v1"],
      ),
    ],
  ],
  [
    "gh api /user",
    "gh auth token",
    "gh repo delete x",
    "gh extension install x",
    "gh secret list",
    "gh gist create a.txt",
    "gh alias set x y",
  ],
);
