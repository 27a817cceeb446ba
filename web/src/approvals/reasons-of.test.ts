import { expect, test } from "vitest";
import { reasonsOf } from "./reasons-of.ts";

const finding = { effect: "ask", layer: "command", rule: "commands.mode", reason: "No rule covers it." } as const;

test("what one rule says of several parts stands once, with each part once", () => {
  const told = reasonsOf([
    { ...finding, subject: "npm ci", risk: "medium" },
    { ...finding, subject: "git push", risk: "medium" },
    { ...finding, subject: "npm ci", risk: "medium" },
    { ...finding, subject: "rm -rf x", risk: "high" },
    { ...finding, layer: "tool", rule: "tools.ask[0]" },
  ]);
  expect(told.map(({ finding: { rule, risk }, subjects }) => [rule, risk, subjects])).toEqual([
    ["commands.mode", "medium", ["npm ci", "git push"]],
    ["commands.mode", "high", ["rm -rf x"]],
    ["tools.ask[0]", undefined, []],
  ]);
});
