import { type CallToolResult, ProtocolError, type ContentBlock as WireBlock } from "@modelcontextprotocol/server";
import type { ArtifactRef, CallError, CallResult, DeniedResult, PendingResult } from "@toolwright/engine";
import { artifactUri } from "../artifact-resources.ts";
import { callMetaKey } from "./call-meta.ts";
import { wireForms } from "./error-wire.ts";

/** The wire form of every ending of a call. Throws a protocol error where the table of errors says so. */
export function writeResult(result: CallResult): CallToolResult {
  const body = writeBody(result);
  return {
    ...body,
    content: [...body.content, ...notesOn(result), ...result.artifacts.map(linkTo)],
    _meta: { [callMetaKey]: metaOf(result) },
  };
}

function writeBody(result: CallResult): CallToolResult {
  switch (result.status) {
    case "done":
      // The engine's blocks are MCP's; only their members are read-only.
      return {
        content: result.content as WireBlock[],
        structuredContent: result.output as NonNullable<CallToolResult["structuredContent"]>,
      };
    case "failed":
      return failure(writeError(result.error, result.tool));
    case "unknown":
      return failure(
        `${writeError(result.error, result.tool)}\nThe request was sent and its answer was lost: it may or may not have taken effect. Check before you call the tool again.`,
      );
    case "denied":
      return failure(writeDenial(result));
    case "pending":
      return failure(writePending(result));
    case "cancelled":
      return failure(`Cancelled: ${result.reason}`);
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function writeError(error: CallError, tool: string): string {
  const form = wireForms[error.code];
  if (form !== "result") throw new ProtocolError(form, error.message, { tool });
  const code = error.toolCode ? `${error.code} (${error.toolCode})` : error.code;
  const details = error.details === undefined ? "" : `\nDetails: ${JSON.stringify(error.details).slice(0, 4000)}`;
  return `Error ${code}: ${error.message}${details}`;
}

function writeDenial({ decision, message }: DeniedResult): string {
  if (message !== undefined) return `Denied by a person: ${message}`;
  return [`Denied: ${decision.reason}`, `Rule: ${decision.rule}`, ...(decision.remedy ? [decision.remedy] : [])].join("\n");
}

/** An error result, although nothing failed: the tool has not run, and clients that check structured content take no other form without it. */
function writePending({ approval, tool }: PendingResult): string {
  return [
    `Not run yet: "${tool}" waits for a person's approval. ${approval.summary}`,
    `Reason: ${approval.reason}`,
    `Approval ${approval.id}, valid until ${new Date(approval.expiresAt).toISOString()}.`,
    `A person answers with \`toolwright approvals approve ${approval.id}\` or \`toolwright approvals deny ${approval.id}\`.`,
    "After that, call the tool again with exactly the same input. Do not try to reach the same effect another way.",
  ].join("\n");
}

/** What the engine's view for the model does not say already. */
function notesOn(result: CallResult): WireBlock[] {
  const notes = (result.posture?.gaps ?? []).map((gap) => `Protection of this run: ${gap}`);
  if (result.replayed) notes.push(`Nothing ran now: this is how call ${result.callId}, the first with this idempotency key, ended.`);
  if (result.status !== "done") {
    notes.push(...result.repairs.map(({ path, what }) => `The input was repaired at ${path || "/"}: ${what}`));
    notes.push(...result.anomalies.map(({ message }) => message));
  }
  return notes.length === 0 ? [] : [{ type: "text", text: `Note: ${notes.join("\nNote: ")}` }];
}

function linkTo({ id, name, mediaType, size }: ArtifactRef): WireBlock {
  return { type: "resource_link", uri: artifactUri(id), name, mimeType: mediaType, size };
}

function metaOf(result: CallResult): Record<string, unknown> {
  const { callId, status, durationMs, repairs, anomalies, artifacts, posture } = result;
  return {
    callId,
    status,
    durationMs: Math.round(durationMs),
    ...(repairs.length > 0 && { repairs }),
    ...(anomalies.length > 0 && { anomalies }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(posture && { posture }),
    ...(result.replayed && { replayed: true }),
    ...endingOf(result),
  };
}

function endingOf(result: CallResult): Record<string, unknown> {
  switch (result.status) {
    case "done":
      return result.truncations.length > 0 ? { truncations: result.truncations } : {};
    case "failed":
    case "unknown":
      return { error: result.error };
    case "denied":
      return { decision: spokenPart(result.decision) };
    case "pending":
      return { decision: spokenPart(result.decision), approval: result.approval };
    case "cancelled":
      return {};
  }
}

function spokenPart({ effect, layer, rule, reason, revision }: DeniedResult["decision"]) {
  return { effect, layer, rule, reason, revision };
}
