import { expect, test } from "vitest";
import { findGitCommands } from "./git-lines.ts";

const brief = (line: string) => findGitCommands(line)?.commands.map(({ subcommand, isLast }) => `${subcommand}${isLast ? "" : " >"}`);

test.each([
  ["git status", ["status"]],
  ["/usr/bin/git --no-pager -C sub log -1", ["log"]],
  ["env CI=1 timeout 5 git diff", ["diff"]],
  ["bash -c 'git show; ls'", ["show"]],
  ["git add -A && git commit -m 'x y'", ["add", "commit"]],
  ["git log -p | head -20", ["log"]],
  ["git log -p | tail -n 3", ["log"]],
  ["git log -p | head -c 20", ["log >"]],
  ["git log -p | head -20 | rev", ["log >"]],
  ["git log -p | grep x", ["log >"]],
  ["git show > out", ["show >"]],
  ["git show 2>/dev/null", ["show"]],
  ["git ls-files | xargs git blame", ["ls-files >", "blame"]],
  ["gh pr list", [""]],
  ["find . -name x -exec git add {} +", ["add >"]],
  ["npm test", []],
  ["echo git", []],
])("%s runs %j", (line, commands) => expect(brief(line)).toEqual(commands));

test.each([
  ["git status && cd src && git diff", true],
  ["git status; npm test", false],
  ["git log | head -5", true],
  ["git status --short | grep -v x | wc -l", true],
  ["git log | cat - .env", false],
  ["git log | grep x .env", false],
  ["git log | grep -f .env", false],
  ["git log | grep -r x", false],
  ["git log | sort .env", false],
  ["git log | head .env", false],
  ["git log | tee x", false],
  ["git ls-files | xargs cat", false],
  ["cat", false],
  ["echo x && git status", true],
])("%s is made of git alone: %s", (line, isPure) => expect(findGitCommands(line)?.isPure).toBe(isPure));

test("a line that is not understood says nothing", () => {
  expect(findGitCommands("git $(x)")).toBeUndefined();
  expect(findGitCommands("git 'status")).toBeUndefined();
});
