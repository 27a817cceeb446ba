import { describe, expect, test } from "vitest";
import { gitAccessOf } from "./git-lines.ts";

describe("what a command line may do with git metadata (R-GT-5)", () => {
  test.each([
    ["ls -la", "none"],
    ["git status --short", "reads"],
    ["git log -3 | head -5", "reads"],
    ["git add -A && git commit -m 'x y'", "changes"],
    ["cd src && git stash", "changes"],
    ["NO_COLOR=1 git -c user.name=a -c user.email=b@c commit -m x 2>&1 | tail -3", "changes"],
    ["git --no-pager -C sub commit -m x 2>/dev/null", "changes"],
    ["timeout 60 git fetch origin", "changes"],
    ["git ls-files | xargs git add", "changes"],
    ["/usr/bin/git rebase main", "changes"],
    ["echo hi > notes.txt && git add notes.txt", "changes"],
    ["git switch -c feat", "configures"],
    ["git init && git add . && git commit -m first", "configures"],
    ["git config user.name x", "configures"],
    ["rm -rf repo", "configures"],
  ])("%s: %s", (command, access) => expect(gitAccessOf(command)).toEqual({ access }));

  test.each([
    ["a program that writes files", "npm test && git commit -m x", "npm test"],
    ["a redirect into metadata", "git add -A && echo x > .git/config", "echo x > .git/config"],
    ["a way into metadata", "git add -A && cd .git && echo x > config", "cd .git"],
    ["a way into metadata by a pattern", "git add -A && cd .g?t && echo x > config", "cd .g?t"],
    ["a copy", "cp evil .git/commondir; git commit -m x", "cp evil .git/commondir"],
    ["a variable that names a program", "git add -A && GIT_EDITOR=./x git commit", "GIT_EDITOR=./x git commit"],
    ["an option that runs a command", "git add -A && git rebase -x ./run main", "git rebase -x ./run main"],
    ["its abbreviation", "git add -A && git rebase --exe=./run main", "git rebase --exe=./run main"],
    ["a program of the workspace with git's name", "git add -A && ./git commit", "./git commit"],
    ["a setting that names a program", "git add -A && git -c core.editor=./x commit", "git -c core.editor=./x commit"],
    ["an output into a file", "git add -A && git log --outp=.git/commondir", "git log --outp=.git/commondir"],
    ["an alias", "git add -A && git deploy", "git deploy"],
  ])("a line with %s only reads, and says which command is in the way", (_, command, heldBackBy) => {
    expect(gitAccessOf(command)).toEqual({ access: "reads", heldBackBy });
  });

  test.each([
    "npm test",
    "git $VERB",
    "git __proto__; git commit",
    "git toString; git commit",
    "git bisect run ./x",
    "git submodule foreach ./x",
    "git clone -u ./x a b",
    "git --git-dir=x commit",
    "bash -c 'git commit -m x; ./y'",
    "git commit -m x &",
    "while true; do git commit; done",
  ])("%s gets no more than to read", (command) => expect(gitAccessOf(command).access).toBe("reads"));
});
