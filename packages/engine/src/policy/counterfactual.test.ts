import { expect, test } from "vitest";
import { compilePolicy } from "./compile-policy.ts";
import { explainCounterfactual } from "./counterfactual.ts";
import { parsePolicyDocument } from "./policy-document.ts";

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
    'Not allowed: `git log --output=x`. The nearest rule is "git log *" (default.commands["git log *"]), which matches it: what is in the way is said above.',
  ],
])("the difference to the nearest rule is named: %s", (_, command, expected) => {
  expect(explain(command)).toEqual([expected]);
});

test("nothing is said of what is allowed, and of what is not understood", () => {
  expect(explain("npm test")).toEqual([]);
  expect(explain("$(x")).toEqual([]);
});
