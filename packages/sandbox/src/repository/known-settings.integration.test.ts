import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandEnvironment } from "../exec/launch-command.ts";
import { isNetworkAddress, judgeSetting, overriddenSettings } from "./known-settings.ts";
import { parseConfiguration } from "./parse-configuration.ts";

const judge = (key: string, value?: string) => {
  const parts = key.split(".");
  const subsection = parts.length > 2 ? parts.slice(1, -1).join(".") : undefined;
  return judgeSetting({ key, section: parts[0]!.toLowerCase(), subsection, name: parts.at(-1)!.toLowerCase(), value });
};

test("no setting that this machine's git documents as a program is on the list, unless each command overrides it", () => {
  const keys = execFileSync("git", ["help", "--config"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => /^[a-zA-Z]+\.[\w.<>*-]+$/.test(line));
  const programs =
    /\.(?:command|textconv|clean|smudge|process|driver|cmd|path|program|helper|defaultKeyCommand|external|sshCommand|editor|pager|fsmonitor|askPass|hooksPath|gitProxy|alternateRefsCommand|uploadpack|receivepack|vcs|packObjectsHook|diffFilter|ccCmd|tocmd|browser|httpd|viewer|tunnel|smtpServer|procReceiveRefs|templateDir|autoCorrect)$|^(?:alias|include|includeIf|protocol\..*allow)/;
  // Colours and columns have members of the same names, which are no programs.
  const named = keys.filter((key) => programs.test(key) && !/^(?:color|column)\./.test(key));
  expect(named.length).toBeGreaterThan(40);
  const passed = named.filter((key) => judge(key, "./evil").commands === "none");
  expect(passed.map((key) => key.toLowerCase()).sort()).toEqual(
    [...overriddenSettings].filter((key) => key !== "log.showsignature").sort(),
  );
  expect(named.filter((key) => judge(key, "./evil").isHarmlessOnHost)).toEqual([]);
});

test("what is taken as overridden is set for every command", () => {
  const set = new Set(
    Object.entries(commandEnvironment).flatMap(([name, value]) => (name.startsWith("GIT_CONFIG_KEY_") ? [value.toLowerCase()] : [])),
  );
  const byVariable = { "core.askpass": "GIT_ASKPASS", "core.editor": "GIT_EDITOR", "sequence.editor": "GIT_SEQUENCE_EDITOR" };
  const missing = [...overriddenSettings].filter(
    (key) => !set.has(key) && !Object.entries(byVariable).some(([known, name]) => known === key && name in commandEnvironment),
  );
  expect(missing).toEqual([]);
});

test.each([
  ["https://host.example/a.git", true],
  ["ssh://git@host.example:22/a", true],
  ["git@host.example:a/b.git", true],
  ["host.example:a", true],
  ["ssh://-oProxyCommand=x/a", false],
  ["-oProxyCommand=x:a", false],
  ["ext::sh -c x", false],
  ["file:///srv/a", false],
  ["./a:b", false],
  ["/srv/a", false],
  ["../a", false],
  ["fd::17", false],
])("%j is reached by the network: %s", (address, expected) => expect(isNetworkAddress(address)).toBe(expected));

test.each([
  ["remote.origin.url", "../x", "fetching"],
  ["remote.origin.url", "https://host.example/x", "none"],
  ["submodule.s.update", "rebase", "none"],
  ["submodule.s.update", "!x", "all"],
  ["url.git@h:.insteadOf", "https://h/", "none"],
  ["url.ext::x .insteadOf", "https://h/", "all"],
  ["pager.log", "false", "none"],
  ["pager.log", "./x", "all"],
  ["gpg.format", "ssh", "none"],
  ["credential.helper", "", "none"],
  ["constructor.x", "y", "all"],
  ["core.toString", "y", "all"],
  ["branch.main.remote", "origin", "none"],
  ["branch.main.remote", ".", "none"],
  ["branch.main.remote", "ext::sh -c x", "fetching"],
  ["branch.main.pushRemote", "/srv/other", "fetching"],
])("because of %s = %j a program may be started by the commands: %s", (key, value, commands) =>
  expect(judge(key, value).commands).toBe(commands),
);

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
  ["[pull]\noctopus=evil", false],
  ["[pull]\nrebase=true", true],
  ["[http]\nsslVerify=false", false],
  ["[user]\nsigningKey=x", false],
  ["[commit]\ngpgSign=false", true],
  ["[commit]\ngpgSign", false],
  ['[remote "origin"]\nurl=/srv/a.git', true],
  ['[branch "main"]\nremote=.', true],
  ['[branch "main"]\nremote=-x', false],
  ['[user]\nname="a\\nb"', false],
])("git on the host may find %j: %s", (text, expected) => {
  expect(parseConfiguration(text)?.every((setting) => judgeSetting(setting).isHarmlessOnHost)).toBe(expected);
});
