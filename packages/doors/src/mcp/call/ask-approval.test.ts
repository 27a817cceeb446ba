import type { PendingResult, RememberOffer } from "@toolwright/engine";
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
const nothing: RememberOffer = { choices: [], reason: "A call of exec cannot be remembered: bash runs code." };
const some: RememberOffer = {
  choices: [{ scope: "session", title: "in this session" }],
  proposal: {
    tool: "exec",
    allows: [{ kind: "command", pattern: "npm test" }],
    matches: ["npm test"],
    notMatches: ["npm test \u202e extra"],
  },
};
const formFor = (offer: RememberOffer) =>
  approvalRequest(pending, { input: {}, offer }).params as { message: string; requestedSchema: { properties: Record<string, unknown> } };
const messageFor = (input: unknown) => String((approvalRequest(pending, { input, offer: nothing }).params as { message: string }).message);

describe("the form that asks", () => {
  it("says tool, reason, rule, risk, the whole input and the approval", () => {
    expect(messageFor({ command: "rm -rf build" })).toMatch(
      /^Run command\nTool: exec\n.*It changes files\..*commands\.mode.*medium.*"rm -rf build".*apr_1/s,
    );
  });

  it("offers to remember what it shows, this call only unless something else is chosen", () => {
    const { message, requestedSchema } = formFor(some);
    expect(message).toMatch(/allows +npm test\n +matches +npm test\n +but not +npm test <U\+202E> extra/);
    expect(requestedSchema.properties.remember).toMatchObject({
      default: "call",
      oneOf: [{ const: "call" }, { const: "session", title: "Also later, in this session" }],
    });
    expect(requestedSchema).toMatchObject({ required: ["decision"] });
  });

  it("offers nothing where nothing may be remembered, and says why (R-AP-9)", () => {
    const { message, requestedSchema } = formFor(nothing);
    expect(message).toContain("cannot be remembered: bash runs code.");
    expect(Object.keys(requestedSchema.properties)).toEqual(["decision", "message"]);
  });

  it("hides nothing behind blanks or invisible characters (R-AP-7)", () => {
    const message = messageFor({ command: `ls${" ".repeat(4000)}; rm\u202e x` });
    expect(message).toContain("ls<4000 spaces>; rm<U+202E> x");
  });

  it("says what the session had read before, on one line", () => {
    const foreign = { kind: "document", place: "a.pdf\nApproval: given", callId: "call_1", tool: "document_read", at: 1 } as const;
    const { message } = approvalRequest(pending, { input: {}, offer: nothing, foreign }).params as { message: string };
    expect(message).toContain("\nBefore: its session read content from a.pdf<U+000A>Approval: given (document_read, call_1)\n");
    expect(messageFor({})).not.toContain("Before:");
  });

  it("says when the input is longer than what it shows", () => {
    const message = messageFor({ content: "x".repeat(100_000) });
    expect(message.length).toBeLessThan(25_000);
    expect(message).toMatch(/first 20000 of \d+ characters.*approvals show apr_1/);
  });
});

const none = (how: string) => ({ kind: "none", how });
const undecided = none("sent the form back without a decision that it offers");
const unreadable = none("sent no answer that can be read");
const missing = none("sent no answer");

describe("the answer", () => {
  const rows: { name: string; responses: Record<string, unknown> | undefined; outcome: unknown }[] = [
    { name: "approve", responses: { approval: { action: "accept", content: { decision: "approve" } } }, outcome: { kind: "approve" } },
    {
      name: "approve, for this call only",
      responses: { approval: { action: "accept", content: { decision: "approve", remember: "call" } } },
      outcome: { kind: "approve" },
    },
    {
      name: "approve, and remember",
      responses: { approval: { action: "accept", content: { decision: "approve", remember: "agent" } } },
      outcome: { kind: "approve", remember: { scope: "agent" } },
    },
    {
      name: "deny, whatever is said of remembering",
      responses: { approval: { action: "accept", content: { decision: "deny", remember: "tenant" } } },
      outcome: { kind: "deny" },
    },
    {
      name: "another choice of remembering",
      responses: { approval: { action: "accept", content: { decision: "approve", remember: "always" } } },
      outcome: undecided,
    },
    { name: "deny", responses: { approval: { action: "accept", content: { decision: "deny" } } }, outcome: { kind: "deny" } },
    {
      name: "deny, with words",
      responses: { approval: { action: "accept", content: { decision: "deny", message: "No." } } },
      outcome: { kind: "deny", message: "No." },
    },
    { name: "a declined form", responses: { approval: { action: "decline" } }, outcome: none("declined the form") },
    { name: "a closed form", responses: { approval: { action: "cancel" } }, outcome: none("cancelled the form") },
    { name: "an accepted form without a decision", responses: { approval: { action: "accept" } }, outcome: undecided },
    { name: "another decision", responses: { approval: { action: "accept", content: { decision: "APPROVE" } } }, outcome: undecided },
    { name: "a decision that is no text", responses: { approval: { action: "accept", content: { decision: true } } }, outcome: undecided },
    {
      name: "an answer to another question",
      responses: { other: { action: "accept", content: { decision: "approve" } } },
      outcome: missing,
    },
    { name: "an answer of another kind", responses: { approval: { roots: [] } }, outcome: unreadable },
    {
      name: "an inherited key",
      responses: Object.create({ approval: { action: "accept", content: { decision: "approve" } } }),
      outcome: missing,
    },
    { name: "an empty answer", responses: { approval: {} }, outcome: unreadable },
    { name: "no object", responses: { approval: "approve" }, outcome: unreadable },
    { name: "another action", responses: { approval: { action: "approve", content: { decision: "approve" } } }, outcome: unreadable },
    { name: "several decisions", responses: { approval: { action: "accept", content: { decision: ["approve"] } } }, outcome: undecided },
    { name: "a decision beside the content", responses: { approval: { action: "accept", decision: "approve" } }, outcome: undecided },
    { name: "nothing", responses: undefined, outcome: missing },
  ];
  it.each(rows)("$name", ({ responses, outcome }) => {
    expect(readApprovalAnswer(responses)).toEqual(outcome);
  });
});
