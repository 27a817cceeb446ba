import type { PendingResult } from "@toolwright/engine";
import { describe, expect, it } from "vitest";
import { approvalRequest, readApprovalAnswer } from "./ask-approval.ts";

const pending: PendingResult = {
  callId: "call_1",
  tool: "exec",
  durationMs: 1,
  repairs: [],
  anomalies: [],
  artifacts: [],
  status: "pending",
  approval: { id: "apr_1", summary: "Run command", reason: "It changes files.", expiresAt: 0 },
  decision: {
    effect: "ask",
    layer: "command",
    rule: "commands.mode",
    reason: "It changes files.",
    risk: "medium",
    revision: "r",
    findings: [],
  },
};
const messageFor = (input: unknown) => String((approvalRequest(pending, input).params as { message: string }).message);

describe("the form that asks", () => {
  it("says tool, reason, rule, risk, the whole input and the approval", () => {
    expect(messageFor({ command: "rm -rf build" })).toMatch(/"exec".*It changes files\..*commands\.mode.*medium.*"rm -rf build".*apr_1/s);
  });

  it("hides nothing behind blanks or invisible characters (R-AP-7)", () => {
    const message = messageFor({ command: `ls${" ".repeat(4000)}; rm\u202e x` });
    expect(message).toContain("ls<4000 spaces>; rm<U+202E> x");
  });

  it("says when the input is longer than what it shows", () => {
    const message = messageFor({ content: "x".repeat(100_000) });
    expect(message.length).toBeLessThan(25_000);
    expect(message).toMatch(/first 20000 of \d+ characters.*approvals show apr_1/);
  });
});

describe("the answer", () => {
  const rows: { name: string; responses: Record<string, unknown> | undefined; outcome: unknown }[] = [
    { name: "approve", responses: { approval: { action: "accept", content: { decision: "approve" } } }, outcome: { kind: "approve" } },
    { name: "deny", responses: { approval: { action: "accept", content: { decision: "deny" } } }, outcome: { kind: "deny" } },
    {
      name: "deny, with words",
      responses: { approval: { action: "accept", content: { decision: "deny", message: "No." } } },
      outcome: { kind: "deny", message: "No." },
    },
    { name: "a declined form", responses: { approval: { action: "decline" } }, outcome: { kind: "deny" } },
    { name: "a closed form", responses: { approval: { action: "cancel" } }, outcome: "dismissed" },
    { name: "an accepted form without a decision", responses: { approval: { action: "accept" } }, outcome: "missing" },
    { name: "another decision", responses: { approval: { action: "accept", content: { decision: "APPROVE" } } }, outcome: "missing" },
    { name: "a decision that is no text", responses: { approval: { action: "accept", content: { decision: true } } }, outcome: "missing" },
    {
      name: "an answer to another question",
      responses: { other: { action: "accept", content: { decision: "approve" } } },
      outcome: "missing",
    },
    { name: "an answer of another kind", responses: { approval: { roots: [] } }, outcome: "missing" },
    {
      name: "an inherited key",
      responses: Object.create({ approval: { action: "accept", content: { decision: "approve" } } }),
      outcome: "missing",
    },
    { name: "nothing", responses: undefined, outcome: "missing" },
  ];
  it.each(rows)("$name", ({ responses, outcome }) => {
    expect(readApprovalAnswer(responses)).toEqual(outcome);
  });
});
