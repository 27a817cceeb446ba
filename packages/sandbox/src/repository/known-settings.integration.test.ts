import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandEnvironment } from "../exec/command-environment.ts";
import { isNetworkAddress, judgeSetting, overriddenSettings } from "./known-settings.ts";

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
  const passed = named.filter((key) => judge(key, "./evil") === "harmless");
  expect(passed.map((key) => key.toLowerCase()).sort()).toEqual(
    [...overriddenSettings].filter((key) => key !== "log.showsignature").sort(),
  );
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
  ["remote.origin.url", "../x", "remote"],
  ["remote.origin.url", "https://host.example/x", "harmless"],
  ["submodule.s.update", "rebase", "harmless"],
  ["submodule.s.update", "!x", "obeyed"],
  ["url.git@h:.insteadOf", "https://h/", "harmless"],
  ["url.ext::x .insteadOf", "https://h/", "obeyed"],
  ["pager.log", "false", "harmless"],
  ["pager.log", "./x", "obeyed"],
  ["gpg.format", "ssh", "harmless"],
  ["credential.helper", "", "harmless"],
  ["constructor.x", "y", "obeyed"],
  ["core.toString", "y", "obeyed"],
])("%s = %j is %s", (key, value, verdict) => expect(judge(key, value)).toBe(verdict));
