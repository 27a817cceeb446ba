import { type CallToolResult, ProtocolError, type ContentBlock as WireBlock } from "@modelcontextprotocol/server";
import {
  type ArtifactRef,
  type CallError,
  type CallResult,
  type DeniedResult,
  type Json,
  notedOutput,
  type PendingResult,
  type ToolView,
} from "@toolwright/engine";
import { artifactUri } from "../artifact-resources.ts";
import { callMetaKey } from "./call-meta.ts";
import { wireForms } from "./error-wire.ts";

/** How a person types a command where they read it. */
export type CommandLine = (words: string) => string;

const byName: CommandLine = (words) => `toolwright ${words}`;

/** The wire form of every ending of a call; `outputSchema` is the tool's own. Throws a protocol error where the table of errors says so. */
export function writeResult(result: CallResult, outputSchema?: ToolView["outputSchema"], commandLine = byName): CallToolResult {
  const body = writeBody(result, { outputSchema, commandLine });
  const notes = writeNotes(result);
  const content = isKept(result) ? [...notes, ...body.content] : [...body.content, ...notes];
  return {
    _meta: { [callMetaKey]: metaOf(result) },
    ...body,
    content: [...content, ...result.artifacts.map(linkTo)],
  };
}

/** What is kept apart is long: clients cut it again, most of them at its end, and what is said of it has to come before. */
function isKept(result: CallResult): boolean {
  return result.artifacts.length > 0 || (result.status === "done" && result.truncations.length > 0);
}

interface Writing {
  readonly outputSchema: ToolView["outputSchema"] | undefined;
  readonly commandLine: CommandLine;
}

function writeBody(result: CallResult, { outputSchema, commandLine }: Writing): CallToolResult {
  switch (result.status) {
    case "done":
      // The engine's blocks are MCP's; only their members are read-only.
      return {
        content: result.content as WireBlock[],
        structuredContent: notedOutput(result, outputSchema) as NonNullable<CallToolResult["structuredContent"]>,
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
      return failure(writePending(result, commandLine));
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
  const unsaid = unsaidIn(error.message, error.details);
  const details = unsaid === undefined ? "" : `\nDetails: ${JSON.stringify(unsaid).slice(0, 4000)}`;
  return `Error ${code}: ${error.message}${details}`;
}

/** The part of the details that the message does not hold already: of a list only such items, and nothing when it says all. */
function unsaidIn(message: string, details: Json | undefined): Json | undefined {
  if (!Array.isArray(details)) return details !== undefined && isSaid(message, details) ? undefined : details;
  const left = details.filter((item: Json) => !isSaid(message, item));
  return left.length === 0 ? undefined : left;
}

function isSaid(message: string, value: Json): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every((item: Json) => isSaid(message, item));
  const text = String(value);
  const at = message.indexOf(text);
  // A part of a longer word or number is not the value.
  return text === "" || (at >= 0 && !/\w{2}/.test(edge(message, at)) && !/\w{2}/.test(edge(message, at + text.length)));
}

const edge = (message: string, at: number) => message.slice(Math.max(0, at - 1), at + 1);

function writeDenial({ decision, message }: DeniedResult): string {
  if (message !== undefined) return `Denied by a person: ${message}`;
  const { reason, rule, remedy } = decision;
  return [`Denied: ${reason}`, `Rule: ${rule}`, ...(remedy && !reason.includes(remedy) ? [remedy] : [])].join("\n");
}

/** An error result, although nothing failed: the tool has not run, and clients that check structured content take no other form without it. */
function writePending({ approval, tool }: PendingResult, commandLine: CommandLine): string {
  return [
    `Not run yet: "${tool}" waits for a person's approval. ${approval.summary}`,
    `Reason: ${approval.reason}`,
    `Approval ${approval.id}, valid until ${new Date(approval.expiresAt).toISOString()}.`,
    `A person answers in a terminal: \`${commandLine(`approvals approve ${approval.id}`)}\`, or \`deny\` in the place of \`approve\`.`,
    "After that, call the tool again with exactly the same input. Do not try to reach the same effect another way.",
  ].join("\n");
}

/** Clients that read structured content find the notes there. A replay is the first answer to the letter, so only the text says that it is one. */
function writeNotes({ notes = [], replayed, callId }: CallResult): WireBlock[] {
  const replay = replayed ? [`Nothing ran now: this is how call ${callId}, the first with this idempotency key, ended.`] : [];
  const said = [...replay, ...notes];
  return said.length > 0 ? [{ type: "text", text: `Note: ${said.join("\nNote: ")}` }] : [];
}

function linkTo({ id, name, mediaType, size }: ArtifactRef): WireBlock {
  return { name, uri: artifactUri(id), mimeType: mediaType, size, type: "resource_link" };
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
