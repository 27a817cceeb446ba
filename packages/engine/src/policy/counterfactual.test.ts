import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compilePolicy } from "./compile-policy.ts";
import { explainCounterfactual } from "./counterfactual.ts";
import { parsePolicyDocument } from "./document/policy-document.ts";

const document = parsePolicyDocument({ version: 1, commands: { rules: [{ pattern: "npm test", effect: "allow" }] } });
const policy = compilePolicy([{ tier: "platform", document }]);
const explain = (command: string) =>
  explainCounterfactual(
    {
      tool: { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" },
      reaches: [{ kind: "command", command }],
      facts: { sandbox: { available: true, detail: "" } },
      principal: { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [], door: "cli" },
    },
    policy,
  );

test("the harmless parts of a line are told apart, and each other part has its nearest rule", () => {
  expect(explain("git status && rm -rf ~")).toEqual([
    "Would be allowed by itself: `git status`.",
    "Denied: `rm -rf ~`, by commands.block_high_risk. No rule that allows changes that.",
  ]);
});

test("a program that no rule names is told as that", () => {
  expect(explain("frobnicate x")).toEqual(["Not allowed: `frobnicate x`. No rule allows any `frobnicate`."]);
});

test.each([
  [
    "where the rule has another word",
    "npm publish",
    'Not allowed: `npm publish`. The nearest rule is "npm test" (commands.rules[0]), which has `test` where this has `publish`.',
  ],
  [
    "where the rule has nothing",
    "npm test --watch",
    'Not allowed: `npm test --watch`. The nearest rule is "npm test" (commands.rules[0]), which has nothing where this has `--watch`.',
  ],
  [
    "where the arguments are in the way",
    "git log --output=x",
    'Not allowed: `git log --output=x`. The nearest rule is "git log *" (default.commands["git log *"]), which matches it: see the blocking rule above.',
  ],
])("the difference to the nearest rule is named: %s", (_, command, expected) => {
  expect(explain(command)).toEqual([expected]);
});

test("nothing is said of what is allowed, and of what is not understood", () => {
  expect(explain("npm test")).toEqual([]);
  expect(explain("$(x")).toEqual([]);
});

test("a rule that an answer says to add lets the command through once it is added", () => {
  const corpus = new URL("../../../../test/corpora/exec-own.jsonl", import.meta.url);
  const lines = readFileSync(corpus, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { readonly command: string }).command);
  const tool = { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" } as const;
  const principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [], door: "cli" } as const;
  const decide = (command: string, rules: readonly object[]) =>
    compilePolicy([{ tier: "platform", document: parsePolicyDocument({ version: 1, commands: { rules } }) }]).decide(
      tool,
      [{ kind: "command", command }],
      { sandbox: { available: true, detail: "" } },
      principal,
    );
  let applied = 0;
  for (const command of new Set([...lines, "echo 'a;b' && make", "touch 'a|b'", "npm run 'x*'"])) {
    const said = decide(command, []).findings.filter(({ effect }) => effect !== "allow");
    const patterns = said.map(({ remedy }) => /add the rule \{ pattern: (".*"), effect: allow \}/.exec(remedy ?? "")?.[1]);
    if (said.length === 0 || patterns.includes(undefined)) continue;
    const rules = patterns.map((pattern) => ({ pattern: JSON.parse(pattern as string), effect: "allow" }));
    expect(decide(command, rules).effect, command).toBe("allow");
    applied++;
  }
  expect(applied).toBeGreaterThan(50);
});
