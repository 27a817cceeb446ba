import { describe, expect, test } from "vitest";
import { gitNeedOf } from "./git-lines.ts";

/** Written as the list: `A && B`, each part in brackets. */
const shown = (command: string) =>
  gitNeedOf(command)
    .parts?.map(
      (part, index) =>
        `${index === 0 ? "" : { success: "&& ", failure: "|| ", any: "; " }[part.runsAfter]}[${part.command.replaceAll("\n", " ⏎ ")}]`,
    )
    .join(" ");

describe("a list that mixes git with other programs", () => {
  test.each([
    ["npm test && git add -A && git commit -m x", "[npm test] && [git add -A && git commit -m x]"],
    ["npm ci && npm test && git commit -am x", "[npm ci && npm test] && [git commit -am x]"],
    ["git add -A; npm test; git commit -m 'a; b'", "[git add -A] ; [npm test] ; [git commit -m 'a; b']"],
    ["npm test || git stash", "[npm test] || [git stash]"],
    ["! npm test && git stash", "[! npm test] && [git stash]"],
    ["time npm test && git stash", "[time npm test] && [git stash]"],
    ["npm test 2>&1 | tail -5 && git commit -m x", "[npm test 2>&1 | tail -5] && [git commit -m x]"],
    ["cd app && npm test && git commit -m x", "[cd app && npm test] && [cd app && git commit -m x]"],
    ["npm test\ngit add -A\n\ngit commit -m x\n", "[npm test] ; [git add -A ⏎ git commit -m x]"],
    ["npm test && \\\n  git commit -m x", "[npm test] && [git commit -m x]"],
    ["git stash && npm test || npm run lint; git stash pop", "[git stash] && [npm test] || [npm run lint] ; [git stash pop]"],
    ["npm test; git add -A && git commit -m x || git stash", "[npm test] ; [git add -A && git commit -m x || git stash]"],
    ["npm test && git add -A; git commit -m x", "[npm test] && [git add -A] ; [git commit -m x]"],
    ["git add -A && npm run patch | git apply && git commit -m x", "[git add -A] && [npm run patch | git apply] && [git commit -m x]"],
    ["NODE_ENV=test npm test && git commit -m x", "[NODE_ENV=test npm test] && [git commit -m x]"],
    ["npm test && git commit -m \"$(cat <<'EOF'\na: b\nEOF\n)\"", `[npm test] && [git commit -m "$(cat <<'EOF' ⏎ a: b ⏎ EOF ⏎ )"]`],
  ])("%s runs as %s", (command, parts) => expect(shown(command)).toBe(parts));

  test.each([
    ["git alone", "git add -A && git commit -m x"],
    ["git that only reads", "npm test && git status"],
    ["no git", "npm ci && npm test"],
    ["a folder that is entered in the middle", "npm test && cd app && git commit -m x"],
    ["a folder that need not be entered", "cd app; npm test; git commit -m x"],
    ["a folder, and what runs when it is missing", "cd app && npm test || git commit -m x"],
    ["a variable that is exported", "export A=1 && npm test && git commit -m x"],
    ["a variable that is set", "A=1; npm test && git commit -m x"],
    ["an option of the shell", "set -e; npm test; git commit -m x"],
    ["a status", "npm test; echo $? && git commit -m x"],
    ["a builtin behind another", "command cd app && npm test && git commit -m x"],
    ["a printed variable", "printf -v a b && npm test && git commit -m x"],
    ["a temporary file", "npm test > /tmp/log && git commit -m x"],
    ["a file of the home folder", "npm test > ~/log && git commit -m x"],
    ["a job", "npm start & git commit -m x"],
    ["a group", "(npm test && git add -A) && git commit -m x"],
    ["a loop", "for a in b c; do npm test; git add $a; done"],
    ["a pipe into git", "npm test | git commit -F -"],
    ["a here-document", "npm test && git commit -F - <<'EOF'\na\nEOF\n"],
    ["a comment", "npm test # first\ngit commit -m x"],
    ["git and another program within one shell", "bash -c 'npm test; git commit -m x'"],
  ])("is not taken apart: %s", (_, command) => expect(gitNeedOf(command).parts).toBeUndefined());
});
