import { ProtocolError } from "@modelcontextprotocol/server";
import { type CallResult, type Decision, type ErrorCode, errorCodes } from "@toolwright/engine";
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

it("says a weaker protection and what was abnormal where the model looks", () => {
  const posture = { runtime: "host", isolation: "none", network: "host", limits: {}, gaps: ["The network was open."] } as const;
  const anomalies = [{ kind: "memory_limit" as const, message: "It was stopped at 512 MB." }];
  const written = writeResult({
    ...facts,
    status: "failed",
    error,
    posture,
    anomalies,
    repairs: [{ path: "/a", what: "a string became a number" }],
  });
  expect(textOf(written)).toMatch(/The network was open.*repaired at \/a.*stopped at 512 MB/s);
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
