import { describe, expect, test } from "vitest";
import { checkPolicyFile, tiersOfFile } from "../document/policy-file.ts";
import type { ToolFacts } from "../tool-layer.ts";
import { exportPolicy, exportTargets, type PolicyExport } from "./export-policy.ts";

const tools: readonly ToolFacts[] = [
  { name: "file_read", group: "fs", effects: { files: "read" }, approval: "auto" },
  { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" },
  { name: "web_fetch", group: "net", effects: { http: "read" }, approval: "auto" },
];

function write(value: object, target: string): PolicyExport {
  const checked = checkPolicyFile(value);
  if (!("file" in checked)) throw new Error(checked.problems.map(({ text }) => text).join("; "));
  const exported = exportPolicy(tiersOfFile(checked.file), target, tools);
  if (!exported) throw new Error(`There is no target ${target}.`);
  return exported;
}

const command = (pattern: string, effect: string, match?: readonly string[]) => ({ commands: { rules: [{ pattern, effect, match }] } });
const commands = (allow: string, deny: string) => ({
  commands: {
    rules: [
      { pattern: allow, effect: "allow" },
      { pattern: deny, effect: "deny" },
    ],
  },
});
const outcome = (value: object, target: string, rule: string) => write(value, target).rules.find((each) => each.rule === rule);

describe("each rule is marked by how much of it the target can say", () => {
  test.each<[string, string, object, string, object]>([
    ["claude-code", "a whole command", command("npm test", "allow"), "commands.rules[0]", { grade: "degraded", as: ["Bash(npm test)"] }],
    ["claude-code", "a prefix", command("git status *", "allow"), "commands.rules[0]", { grade: "unsupported", as: [] }],
    ["claude-code", "a denied prefix", command("git push *", "deny"), "commands.rules[0]", { grade: "degraded", as: ["Bash(git push:*)"] }],
    [
      "claude-code",
      "a wildcard in a word, allowed",
      command("npm run test:* --ci", "allow"),
      "commands.rules[0]",
      { grade: "unsupported", as: [] },
    ],
    [
      "claude-code",
      "a wildcard in a word, denied",
      command("git * main", "deny"),
      "commands.rules[0]",
      { grade: "degraded", as: ["Bash(git * main)"] },
    ],
    [
      "claude-code",
      "a wildcard for one character, denied",
      command("git ?ush", "deny"),
      "commands.rules[0]",
      { grade: "degraded", as: ["Bash(git:*)"] },
    ],
    ["claude-code", "a program by its path", command("/usr/bin/git push *", "deny"), "commands.rules[0]", { as: ["Bash(git push:*)"] }],
    [
      "claude-code",
      "a forbidden path that reads as a pattern",
      { paths: { forbidden: ["/srv/[id]"] } },
      "paths.forbidden[0]",
      { grade: "unsupported" },
    ],
    ["claude-code", "a word in quotes", command("echo 'a b'", "allow"), "commands.rules[0]", { grade: "unsupported" }],
    ["claude-code", "a denied tool", { tools: { deny: ["exec"] } }, "tools.deny[0]", { grade: "exact", as: ["mcp__toolwright__exec"] }],
    ["claude-code", "a group", { tools: { ask: ["group:net"] } }, "tools.ask[0]", { grade: "exact", as: ["mcp__toolwright__web_fetch"] }],
    [
      "claude-code",
      "a list of the only tools",
      { tools: { allow: ["group:fs"] } },
      "tools.allow",
      { grade: "degraded", as: ["mcp__toolwright__exec", "mcp__toolwright__web_fetch"] },
    ],
    ["claude-code", "no commands", { commands: { mode: "deny" } }, "commands.mode", { grade: "exact", as: ["Bash"] }],
    [
      "claude-code",
      "a path from the root",
      { paths: { forbidden: ["/etc"] } },
      "paths.forbidden[0]",
      { grade: "degraded", as: expect.arrayContaining(["Read(//etc/**)"]) },
    ],
    ["claude-code", "a host with a wildcard", { network: { allow: ["*.a.example"] } }, "network.allow[0]", { grade: "unsupported" }],
    ["codex", "a whole command", command("npm test", "allow"), "commands.rules[0]", { grade: "unsupported" }],
    ["codex", "a prefix", command("git status *", "allow"), "commands.rules[0]", { grade: "unsupported", as: [] }],
    [
      "codex",
      "a whole command that is denied",
      command("git push", "deny"),
      "commands.rules[0]",
      { grade: "degraded", as: [expect.stringContaining('decision = "forbidden"')] },
    ],
    ["codex", "a tool that asks", { tools: { ask: ["exec"] } }, "tools.ask[0]", { grade: "unsupported" }],
    ["codex", "no network", { sandbox: { network: "none" } }, "sandbox.network", { grade: "degraded", as: ["network_access = false"] }],
    [
      "gemini-cli",
      "a whole command",
      command("npm test", "allow"),
      "commands.rules[0]",
      { grade: "degraded", as: [expect.stringContaining(`commandRegex = 'npm test"'`)] },
    ],
    ["gemini-cli", "a prefix", command("git status *", "allow"), "commands.rules[0]", { grade: "unsupported", as: [] }],
    [
      "gemini-cli",
      "a denied tool",
      { tools: { deny: ["exec"] } },
      "tools.deny[0]",
      { grade: "exact", as: [expect.stringMatching(/mcpName = 'toolwright'\ntoolName = 'exec'\ndecision = 'deny'/)] },
    ],
    ["gemini-cli", "the default for commands", {}, "commands.mode", { grade: "exact", as: [expect.stringContaining("ask_user")] }],
  ])("%s: %s", (target, ...[, value, rule, expected]) => {
    expect(outcome(value, target, rule)).toMatchObject(expected);
  });
});

test.each(exportTargets)("%s: what a lower tier allows is left out, what it denies is not", (target) => {
  const tenant = {
    commands: {
      rules: [
        { pattern: "git log *", effect: "allow" },
        { pattern: "git push *", effect: "deny" },
      ],
    },
  };
  const value = { tenant, agents: [{ id: "a", tools: { deny: ["exec"] } }] };
  expect(outcome(value, target, "tenant.commands.rules[0]")).toMatchObject({ grade: "unsupported" });
  expect(outcome(value, target, "tenant.commands.rules[1]")).toMatchObject({ grade: "degraded" });
  expect(outcome(value, target, "agents.a")).toMatchObject({ grade: "unsupported" });
});

describe.each(exportTargets)("%s: nothing is allowed there that does not run unasked here", (target) => {
  test.each<[string, object]>([
    ["further words, which are reviewed here", command("git log *", "allow")],
    ["a program whose arguments are not reviewed", command("bash *", "allow")],
    ["a rule for some folders", command("cd packages/* && npm test", "allow")],
    ["a rule for one folder", command("cd sub && npm test", "allow")],
    ["a command of high risk", command("rm -rf /", "allow")],
    ["a command that another rule denies through a wrapper", commands("timeout 5 npm test", "npm *")],
    ["a forbidden path", { ...command("cat /srv/key", "allow"), paths: { forbidden: ["/srv"] } }],
    ["commands where no command runs", { commands: { mode: "deny", rules: [{ pattern: "npm test", effect: "allow" }] } }],
    ["commands where nothing may change", { ...command("npm test", "allow"), autonomy: "read_only" }],
    ["commands where their tool is denied", { ...command("npm test", "allow"), tools: { deny: ["exec"] } }],
    ["commands where their tool asks", { ...command("npm test", "allow"), tools: { ask: ["exec"] } }],
    ["commands where their tool is not on the list", { ...command("npm test", "allow"), tools: { allow: ["file_read"] } }],
    ["a command that the tenant's rules do not cover", { ...command("npm test", "allow"), tenant: { commands: {} } }],
    ["what needs approvers each time", { ...command("npm test", "allow"), tenant: { tools: { ask: ["group:runtime"] } } }],
  ])("%s", (_, value) => {
    expect(outcome(value, target, "commands.rules[0]")).toMatchObject({ grade: "unsupported", as: [] });
  });
});

test.each(exportTargets)("%s: a rule that several people answer says that one does there", (target) => {
  const value = { commands: { rules: [{ pattern: "git push *", effect: "ask", quorum: { approvers: 2 } }] } };
  expect(outcome(value, target, "commands.rules[0]")).toMatchObject({ grade: "degraded", reason: expect.stringContaining("One person") });
});

test.each(exportTargets)("%s: what is not exact says what is lost (law 5)", (target) => {
  const approvals = { grants: false, quorum: [{ approvers: 2 }] };
  const value = {
    autonomy: "full",
    approvals,
    rates: { act: "1/s" },
    network: { allow_ranges: ["10.0.0.0/8"] },
    ...command("git * main", "ask"),
  };
  const { rules } = write(value, target);
  for (const { grade, reason } of rules) expect(reason !== undefined).toBe(grade !== "exact");
  expect(rules.map(({ rule }) => rule)).toEqual(expect.arrayContaining(["approvals.grants", "approvals.quorum[0]"]));
});

test("a settings file of Claude Code", () => {
  const { files } = write({ ...command("git push *", "ask"), tools: { deny: ["exec"] }, paths: {} }, "claude-code");
  expect(files).toEqual([{ path: ".claude/settings.json", text: expect.any(String) }]);
  expect(JSON.parse(files[0]?.text ?? "")).toEqual({
    permissions: { defaultMode: "default", allow: [], ask: ["Bash(git push:*)"], deny: ["mcp__toolwright__exec"] },
  });
});

test("tests of a rule go along to Codex where they mean the same", () => {
  const { files } = write(command("git push *", "deny", ["git push origin", "timeout 5 git push", "git push 'a b'"]), "codex");
  expect(files[0]).toEqual({
    path: "~/.codex/rules/toolwright.rules",
    text: 'prefix_rule(\n    pattern = ["git", "push"],\n    decision = "forbidden",\n    match = ["git push origin"],\n)\n',
  });
});

test("a target that is not known is none", () => {
  expect(exportPolicy([], "cursor", [])).toBeUndefined();
});

test.each(["claude-code", "gemini-cli"])("%s: a rule that allows a command says what is not held there", (target) => {
  expect(outcome(command("npm test", "allow"), target, "commands.rules[0]")).toMatchObject({
    grade: "degraded",
    reason: expect.stringContaining("What it relies on here is not held there by this rule: credential files are hidden"),
  });
});
