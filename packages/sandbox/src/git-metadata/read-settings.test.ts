import { describe, expect, test } from "vitest";
import { isHarmless } from "./harmless-settings.ts";
import { nameOf, readSettings, writeSettings } from "./read-settings.ts";

const read = (text: string) => readSettings(text)?.map((setting) => [nameOf(setting), setting.value]);

describe("reading a git configuration", () => {
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
    ["a key alone", "[core]\nbare\n", [["core.bare", "true"]]],
    ["carriage returns and a byte order mark", "\uFEFF[core]\r\nbare = no\r\n", [["core.bare", "no"]]],
    ["comments", "# a\n; b\n[a] ; c\n# d\nb=1\n", [["a.b", "1"]]],
  ])("understands %s", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
    expect(read(writeSettings(readSettings(text) ?? []))).toEqual(expected);
  });

  test.each(["[core\nx=1", "x=1\n", '[core]\nx = "open\n', "[core]\nx = \\q\n", "[core]\n1x=1\n", "[a]\nb\u0000=1", '[a "b]\nc=1'])(
    "gives up on %j",
    (text) => expect(readSettings(text)).toBeUndefined(),
  );
});

test.each([
  ["[core]\nbare=false\nrepositoryformatversion=0\nfilemode=true\nlogallrefupdates=true", true],
  ['[remote "origin"]\nurl=https://a.example/b.git\nfetch=+refs/heads/*:refs/remotes/origin/*', true],
  ['[remote "origin"]\nurl=git@a.example:b.git', true],
  ['[branch "main"]\nremote=origin\nmerge=refs/heads/main', true],
  ["[user]\nname=A\nemail=a@b", true],
  ["[core]\nfsmonitor=false\nhooksPath=/dev/null", true],
  ["[core]\nfsmonitor=true", false],
  ["[core]\nhooksPath=.x", false],
  ["[core]\nworktree=/", false],
  ["[include]\npath=x", false],
  ['[includeIf "gitdir:/"]\npath=x', false],
  ['[remote "origin"]\nurl=ext::sh -c x', false],
  ['[remote "origin"]\nuploadpack=./x', false],
  ['[branch "main"]\nremote=ext::sh', false],
  ['[url "ext::sh"]\ninsteadOf=https:', false],
  ["[alias]\nst=!x", false],
  ["[diff]\nexternal=x", false],
  ['[diff "x"]\ntextconv=x', false],
  ["[pager]\nlog=x", false],
  ["[constructor]\nname=x", false],
  ['[submodule "x"]\nupdate=!x', false],
])("%j is harmless: %s", (text, expected) => {
  expect(readSettings(text)?.every(isHarmless)).toBe(expected);
});
