import { ProtocolError } from "@modelcontextprotocol/server";
import { type CallResult, type Decision, type ErrorCode, errorCodes, type Json } from "@toolwright/engine";
import { describe, expect, it } from "vitest";
import { textOf } from "../../../test/mcp-client.ts";
import { wireForms } from "./error-wire.ts";
import { writeResult } from "./write-result.ts";

const facts = { callId: "call_1", tool: "pay", durationMs: 1.4, repairs: [], anomalies: [], artifacts: [] };
const decision: Decision = {
  effect: "deny",
  layer: "tool",
  rule: "tools.deny[0]",
  reason: "The policy denies pay.",
  remedy: "Ask the operator.",
  revision: "r1",
  findings: [],
};
const approval = { id: "apr_1", summary: "Pay: Carol", reason: "It asks before each call.", expiresAt: Date.UTC(2026, 0, 1) };
const error = { code: "connection_failed" as const, message: "The server hung up." };

describe("every ending has a readable form", () => {
  const rows: { name: string; result: CallResult; isError: boolean; text: RegExp }[] = [
    {
      name: "done",
      result: {
        ...facts,
        status: "done",
        output: { text: "Paid." },
        content: [{ type: "text", text: "Paid." }],
        truncations: [],
        decision,
      },
      isError: false,
      text: /^Paid\.$/,
    },
    {
      name: "failed",
      result: { ...facts, status: "failed", error },
      isError: true,
      text: /^Error connection_failed: The server hung up\.$/,
    },
    {
      name: "failed, with details",
      result: { ...facts, status: "failed", error: { ...error, details: { host: "a" } } },
      isError: true,
      text: /Details: {"host":"a"}/,
    },
    {
      name: "denied",
      result: { ...facts, status: "denied", decision },
      isError: true,
      text: /^Denied: .*\nRule: tools\.deny\[0\]\nAsk the operator\.$/,
    },
    {
      name: "denied by a person",
      result: { ...facts, status: "denied", decision, message: "No." },
      isError: true,
      text: /^Denied by a person: No\.$/,
    },
    {
      name: "pending",
      result: { ...facts, status: "pending", approval, decision },
      isError: true,
      text: /^Not run yet.*2026-01-01T.*approvals approve apr_1/s,
    },
    {
      name: "cancelled",
      result: { ...facts, status: "cancelled", reason: "The client left." },
      isError: true,
      text: /^Cancelled: The client left\.$/,
    },
    {
      name: "unknown",
      result: { ...facts, status: "unknown", error },
      isError: true,
      text: /may or may not have taken effect.*before you call/s,
    },
  ];
  it.each(rows)("$name", ({ result, isError, text }) => {
    const written = writeResult(result);
    expect(written.isError === true).toBe(isError);
    expect(textOf(written)).toMatch(text);
    expect(written._meta?.["dev.toolwright/call"]).toMatchObject({ callId: "call_1", status: result.status, durationMs: 1 });
  });
});

describe("every error code has its wire form", () => {
  it.each(Object.keys(errorCodes) as ErrorCode[])("%s", (code) => {
    const write = () => writeResult({ ...facts, status: "failed", error: { code, message: "m" } });
    if (wireForms[code] === "result") expect(write().isError).toBe(true);
    else expect(write).toThrow(ProtocolError);
  });
});

const outputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false };
const done = {
  ...facts,
  status: "done",
  output: { text: "Paid." },
  content: [{ type: "text", text: "Paid." }],
  truncations: [],
  decision,
} as const;

describe("an error says nothing twice", () => {
  const issues = [
    { path: "/a", message: "expected a number." },
    { path: "/b", message: "missing." },
  ];
  it.each<[name: string, message: string, details: Json, text: string]>([
    ["all is in the message", "It does not fit:\n- /a: expected a number.\n- /b: missing.", issues, ""],
    ["a part is", "It does not fit:\n- /a: expected a number.\n- and 1 more", issues, '\nDetails: [{"path":"/b","message":"missing."}]'],
    ["a number that is part of another", "It took 150 ms.", { limit: 15 }, '\nDetails: {"limit":15}'],
    ["the same number", "It took 150 ms.", { took: 150 }, ""],
    ["a member more", "No host a.", { host: "a", port: 80 }, '\nDetails: {"host":"a","port":80}'],
    ["nothing", "No.", {}, ""],
  ])("%s", (...[, message, details, text]) => {
    const written = writeResult({ ...facts, status: "failed", error: { code: "invalid_input", message, details } });
    expect(textOf(written)).toBe(`Error invalid_input: ${message}${text}`);
    expect(written._meta?.["dev.toolwright/call"]).toMatchObject({ error: { details } });
  });

  it("a denial does not repeat its remedy", () => {
    const written = writeResult({ ...facts, status: "denied", decision: { ...decision, reason: "Denied here. Ask the operator." } });
    expect(textOf(written)).toBe("Denied: Denied here. Ask the operator.\nRule: tools.deny[0]");
  });
});

it("answers an unknown artifact with a result that the model reads", () => {
  expect(
    writeResult({ ...facts, status: "failed", error: { code: "artifact_not_found", message: "There is no artifact art_x here." } }),
  ).toMatchObject({ isError: true });
});

it("puts notes first into the structured output and behind the text", () => {
  const written = writeResult({ ...done, notes: ["One.", "Two."] }, outputSchema);
  expect(JSON.stringify(written.structuredContent)).toBe('{"notes":["One.","Two."],"text":"Paid."}');
  expect(textOf(written)).toBe("Paid.\nNote: One.\nNote: Two.");
});

it("puts notes before what was cut, where clients that cut it again leave them", () => {
  const artifacts = [{ id: "art_1", name: "stdout.txt", mediaType: "text/plain", size: 1e6 }];
  const written = writeResult({ ...done, artifacts, notes: ["It was cut."] } as CallResult, outputSchema);
  expect(textOf(written)).toMatch(/^Note: It was cut\.\nPaid\./);
});

it("adds nothing where there is nothing to say", () => {
  const written = writeResult(done, outputSchema);
  expect(written.structuredContent).toEqual({ text: "Paid." });
  expect(written.content).toHaveLength(1);
});

it("puts notes behind an error, and keeps posture, repairs and anomalies apart for programs", () => {
  const posture = { runtime: "host", isolation: "none", network: "host", limits: {}, gaps: ["The network was open."] } as const;
  const anomalies = [{ kind: "memory_limit" as const, message: "It was stopped at 512 MB." }];
  const written = writeResult({
    ...facts,
    status: "failed",
    error,
    posture,
    anomalies,
    notes: ["The network was open.", "It was stopped at 512 MB."],
    repairs: [{ path: "/a", what: "a string became a number" }],
  });
  expect(textOf(written)).toMatch(/Note: The network was open\.\nNote: It was stopped at 512 MB\.$/);
  expect(written._meta?.["dev.toolwright/call"]).toMatchObject({ posture, anomalies });
});

it("links every artifact of the call", () => {
  const artifacts = [{ id: "art_1", name: "plot.png", mediaType: "image/png", size: 10 }];
  const written = writeResult({ ...facts, status: "cancelled", reason: "r", artifacts });
  expect(written.content).toContainEqual({
    type: "resource_link",
    uri: "artifact://art_1",
    name: "plot.png",
    mimeType: "image/png",
    size: 10,
  });
});
