import { expect, test } from "vitest";
import { strictest } from "../contract/decision.ts";
import { explainDecision } from "./explain-decision.ts";

test("a decision is told with its rule, subject, risk and what would change it, and the other findings after it", () => {
  const text = explainDecision(
    strictest(
      [
        { effect: "allow", layer: "tool", rule: "default.supervised", reason: "Nothing restricts the tool exec." },
        {
          effect: "ask",
          layer: "command",
          rule: "commands.mode",
          reason: "No rule covers it.",
          subject: "npm test",
          risk: "medium",
          remedy: "Approve it.",
        },
      ],
      "abcdef0123456789",
    ),
  );
  expect(text).toBe(`Needs approval: No rule covers it.
  rule: commands.mode (command layer)
  about: npm test
  risk: medium
  what would change it: Approve it.

Allowed: Nothing restricts the tool exec.
  rule: default.supervised (tool layer)

Policy revision abcdef012345.`);
});

test("control and invisible characters of a subject are made visible", () => {
  const text = explainDecision(
    strictest([{ effect: "deny", layer: "command", rule: "r", reason: "No.", subject: "a\u001b[2Kb\u202e" }], "r"),
  );
  expect(text).toContain("a\\u{1b}[2Kb\\u{202e}");
});

test("what the place of the call has to hold back is told once, for the whole of it", () => {
  const allow = { effect: "allow", layer: "command", rule: "r", reason: "It is covered.", reliesOn: ["links"] } as const;
  const decision = strictest([allow, { ...allow, subject: "cat b", reliesOn: ["credentials", "links"] }], "r");
  expect(decision.reliesOn).toEqual(["credentials", "links"]);
  expect(explainDecision(decision)).toContain(
    "\n\nRelies on: credential files are hidden; links that lead out of the workspace are not followed.\n\nPolicy",
  );
  expect(strictest([allow, { effect: "deny", layer: "command", rule: "r", reason: "No." }], "r").reliesOn).toBeUndefined();
});
