import { describe, expect, test } from "vitest";
import { parseConfiguration } from "./parse-configuration.ts";
import { writeConfiguration } from "./write-configuration.ts";

const read = (text: string) => parseConfiguration(text)?.map(({ key, value }) => [key, value]);

describe("a git configuration", () => {
  test.each([
    [
      "plain settings",
      "[core]\n\tbare = false\n[user]\n name=A B  # c\n",
      [
        ["core.bare", "false"],
        ["user.name", "A B"],
      ],
    ],
    ["a setting beside its section", "[core]fsmonitor=./x\n", [["core.fsmonitor", "./x"]]],
    ["upper case", "[CORE]\nFSMonitor = ./x\n", [["core.fsmonitor", "./x"]]],
    ["a subsection", '[filter "a\\"B"]\nclean = "sh -c \'x\'"\n', [['filter.a"B.clean', "sh -c 'x'"]]],
    ["an old subsection", "[diff.X]\ncommand=./x\n", [["diff.x.command", "./x"]]],
    ["a value over two lines", "[core]\nfsmonitor = ./a\\\nb\n", [["core.fsmonitor", "./ab"]]],
    ["escapes and quotes in the middle", '[a]\nb = c "d ; e" \\"f\\t\n', [["a.b", 'c d ; e "f\t']]],
    ["a key alone", "[core]\nbare\n", [["core.bare", undefined]]],
    ["carriage returns and a byte order mark", "\uFEFF[core]\r\nbare = no\r\n", [["core.bare", "no"]]],
    ["comments", "# a\n; b\n[a] ; c\n# d\nb=1\n", [["a.b", "1"]]],
  ])("of %s is read, and written so that it reads the same", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
    expect(read(writeConfiguration(parseConfiguration(text) ?? []))).toEqual(expected);
  });

  test.each([
    "[core\nx=1",
    "x=1\n",
    '[core]\nx = "open\n',
    "[core]\nx = \\q\n",
    "[core]\n1x=1\n",
    "[a]\nb\u0000=1",
    "[a]\nb = c\u000bd\n",
    "[a]\nb = c\rd\n",
    '[a "b]\nc=1',
  ])("of the form %j is not read", (text) => expect(parseConfiguration(text)).toBeUndefined());
});
