import { expect, test } from "vitest";
import { readGitWords } from "./git-words.ts";

test.each([
  ["status --short", [], "status", ["--short"]],
  ["--no-pager -C sub log -1", ["--no-pager", "-C sub"], "log", ["-1"]],
  ["--git-dir=x --work-tree y diff", ["--git-dir=x", "--work-tree y"], "diff", []],
  ["-c core.pager=x --attr-source HEAD show a", ["-c core.pager=x", "--attr-source HEAD"], "show", ["a"]],
  ["--version", ["--version"], undefined, []],
  ["-C", ["-C"], undefined, []],
] as const)("git %s has the options %j and the subcommand %s", (line, options, subcommand, operands) => {
  const read = readGitWords(line.split(" "));
  const shown = read.options.map(({ word, value }) => (value === undefined ? word : `${word} ${value}`));
  expect([shown, read.subcommand, read.operands]).toEqual([options, subcommand, operands]);
});
