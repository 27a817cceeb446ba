import { type CallToolResult, ProtocolError, type Server, type ContentBlock as WireBlock } from "@modelcontextprotocol/server";
import {
  type ArtifactRef,
  type CallError,
  type CallResult,
  type DeniedResult,
  notedOutput,
  notedSchema,
  type PendingResult,
  type Scope,
  type ToolView,
} from "@toolwright/engine";
import { describeDenial, describeError, describeNotes, describePending, lostAnswer } from "../../describe-ending.ts";
import { artifactUri } from "../artifact-resources.ts";
import type { McpServing } from "../door-options.ts";
import { callMetaKey } from "./call-meta.ts";
import { wireForms } from "./error-wire.ts";

/** How a person types a command where they read it. */
type CommandLine = (words: string) => string;

const byName: CommandLine = (words) => `toolwright ${words}`;

/** The answer to `tools/call`, as the revision of the client has it. */
export function writeAnswer(
  result: CallResult,
  { scope, server, serving }: { readonly scope: Scope; readonly server: ResultServer; readonly serving: McpServing },
): CallToolResult {
  const outputSchema = scope.find(result.tool)?.outputSchema;
  const written = writeResult(result, outputSchema, commandLineOf(serving, scope.principal.tenant));
  if (written.structuredContent === undefined) return written;
  return server.projectCallToolResult(written, outputSchema && notedSchema(outputSchema));
}

type ResultServer = Pick<Server, "projectCallToolResult">;

export function commandLineOf({ commandLine }: McpServing, tenant: string): CommandLine {
  return commandLine ? (words) => commandLine(words, tenant) : byName;
}

/** The wire form of every ending of a call; `outputSchema` is the tool's own. Throws a protocol error where the table of errors says so. */
export function writeResult(result: CallResult, outputSchema?: ToolView["outputSchema"], commandLine = byName): CallToolResult {
  const body = writeBody(result, { outputSchema, commandLine });
  const notes = writeNotes(result);
  const content = isKept(result) ? [...notes, ...body.content] : [...body.content, ...notes];
  return {
    ...body,
    content: [...content, ...result.artifacts.map(linkTo)],
    _meta: { [callMetaKey]: metaOf(result) },
  };
}

export function answerInTerminal({ approval }: PendingResult, commandLine: CommandLine): string {
  return `A person answers in a terminal: \`${commandLine(`approvals approve ${approval.id}`)}\`, or \`deny\` in the place of \`approve\`.`;
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
      return failure(`${writeError(result.error, result.tool)}\n${lostAnswer}`);
    case "denied":
      return failure(describeDenial(result));
    case "pending":
      return failure(describePending(result, answerInTerminal(result, commandLine)));
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
  return describeError(error);
}

/** Clients that read structured content find the notes there. */
function writeNotes(result: CallResult): WireBlock[] {
  const text = describeNotes(result);
  return text === undefined ? [] : [{ type: "text", text }];
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
