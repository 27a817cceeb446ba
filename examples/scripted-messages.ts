// A model server for examples and tests that speaks the Messages API of Anthropic, and refuses what that refuses.
import type { ServerResponse } from "node:http";
import {
  halvesOf,
  isObject,
  isToolName,
  type Refusal,
  type ScriptedAnswerTo,
  type ScriptedPart,
  type ScriptedServer,
  type ScriptedServerOptions,
  type SentAnswer,
  serveScript,
  textOfInput,
} from "./scripted-server.ts";

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly text?: string;
  readonly cache_control?: unknown;
  readonly [member: string]: unknown;
}

export interface MessagesRequest {
  readonly model: string;
  readonly system?: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly tools?: readonly { readonly name: string; readonly cache_control?: unknown; readonly [member: string]: unknown }[];
  readonly tool_choice?: { readonly type: string };
}

export type ScriptedMessagesAnswer = ScriptedAnswerTo<MessagesRequest>;

export function serveScriptedMessages(
  script: Iterable<ScriptedMessagesAnswer>,
  options?: ScriptedServerOptions,
): Promise<ScriptedServer<MessagesRequest>> {
  /** What was thought before the first call of an answer, by that call. */
  const thoughts = new Map<string, readonly Block[]>();
  return serveScript(
    script,
    {
      base: "/v1",
      refuse: (request) => refuse(request, thoughts),
      send: (outgoing, request, answer) => send(outgoing, request, { ...answer, thoughts }),
    },
    options,
  );
}

function refuse(request: MessagesRequest, thoughts: ReadonlyMap<string, readonly Block[]>): Refusal | undefined {
  const message = problemOf(request, thoughts);
  if (message === undefined) return undefined;
  return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_scripted" } };
}

/** In the words of the provider. */
function problemOf(request: MessagesRequest, thoughts: ReadonlyMap<string, readonly Block[]>): string | undefined {
  const { messages, system = [], tools = [] } = request;
  const markers = [...system, ...tools, ...messages.flatMap(({ content }) => content)].filter(
    ({ cache_control: marker }) => marker !== undefined,
  );
  if (markers.length > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${markers.length}.`;
  if (messages.some(({ content }) => content.some(({ type, text }) => type === "text" && text?.trim() === "")))
    return "messages: text content blocks must contain non-whitespace text";
  const calls = messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_use"));
  if (!calls.every(({ name }) => isToolName(name))) return "messages: tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
  if (!calls.every(({ id = "" }) => /^[a-zA-Z0-9_-]+$/.test(id)))
    return "messages: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
  if (!calls.every(({ input }) => isObject(input))) return "messages: tool_use.input: Input should be a valid dictionary";
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return "messages: `tool_use` ids must be unique";
  const empty = messages.findIndex(({ content }) => content.length === 0);
  if (empty !== -1) return `messages.${empty}: all messages must have non-empty content except for the optional final assistant message`;
  for (const [index, { role, content }] of messages.entries()) {
    const problem =
      role === "assistant"
        ? (problemOfCalls({ content, next: messages[index + 1]?.content, index }) ?? problemOfThoughts(content, { index, thoughts }))
        : problemOfResults({ content, before: messages[index - 1]?.content, index });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const idsOf = (blocks: readonly Block[], type: string, member: "id" | "tool_use_id") =>
  blocks.flatMap((block) => (block.type === type ? [block[member] ?? ""] : []));

interface Pair {
  readonly content: readonly Block[];
  readonly index: number;
}

function problemOfCalls({ content, next = [], index }: Pair & { readonly next: readonly Block[] | undefined }): string | undefined {
  // Results come first in the message that follows: those after a text do not count.
  const leading = next.slice(0, next.findIndex(({ type }) => type !== "tool_result") >>> 0);
  const answered = new Set(idsOf(leading, "tool_result", "tool_use_id"));
  const missing = idsOf(content, "tool_use", "id").filter((id) => !answered.has(id));
  if (missing.length === 0) return undefined;
  return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function problemOfResults({ content, before = [], index }: Pair & { readonly before: readonly Block[] | undefined }): string | undefined {
  const made = new Set(idsOf(before, "tool_use", "id"));
  const position = content.findIndex(({ type, tool_use_id: id }) => type === "tool_result" && !made.has(id ?? ""));
  if (position < 0) return undefined;
  return `messages.${index}.content.${position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${content[position]?.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
}

function problemOfThoughts(
  content: readonly Block[],
  { index, thoughts }: { readonly index: number; readonly thoughts: ReadonlyMap<string, readonly Block[]> },
): string | undefined {
  const [first = ""] = idsOf(content, "tool_use", "id");
  const expected = thoughts.get(first) ?? [];
  const found = content.filter(({ type }) => type === "thinking");
  if (JSON.stringify(found) === JSON.stringify(expected)) return undefined;
  return `messages.${index}.content.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
}

let count = 0;

function toBlock(part: ScriptedPart): Block {
  if ("text" in part) return { type: "text", text: part.text };
  if ("thought" in part) return { type: "thinking", thinking: part.thought, signature: part.seal };
  return { type: "tool_use", id: part.id ?? `toolu_${++count}`, name: part.name, input: part.input };
}

type Send = SentAnswer & { readonly thoughts: Map<string, readonly Block[]> };

function send(outgoing: ServerResponse, { model }: MessagesRequest, { parts, usage, thoughts }: Send): void {
  const blocks = parts.map(toBlock);
  const [first] = idsOf(blocks, "tool_use", "id");
  if (first !== undefined)
    thoughts.set(
      first,
      blocks.filter(({ type }) => type === "thinking"),
    );
  const write = (type: string, data: object) => outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const { input, cached, written, output } = usage ?? { input: 0, cached: 0, written: 0, output: 0 };
  const taken = { input_tokens: input - cached - written, cache_read_input_tokens: cached, cache_creation_input_tokens: written };
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  const message = { id: `msg_${++count}`, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null };
  write("message_start", { message: { ...message, usage: { ...taken, output_tokens: 1 } } });
  for (const [index, block] of blocks.entries()) {
    write("content_block_start", { index, content_block: emptied(block) });
    for (const delta of deltasOf(block)) write("content_block_delta", { index, delta });
    write("content_block_stop", { index });
  }
  const reason = first === undefined ? "end_turn" : "tool_use";
  write("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: output } });
  write("message_stop", {});
  outgoing.end();
}

const emptied = (block: Block): Block =>
  block.type === "text"
    ? { type: "text", text: "" }
    : block.type === "thinking"
      ? { type: "thinking", thinking: "", signature: "" }
      : { ...block, input: {} };

function deltasOf({ type, text = "", thinking, signature, input }: Block): readonly object[] {
  if (type === "text") return halvesOf(text).map((half) => ({ type: "text_delta", text: half }));
  if (type === "tool_use") return halvesOf(textOfInput(input)).map((half) => ({ type: "input_json_delta", partial_json: half }));
  const thought = halvesOf(String(thinking)).map((half) => ({ type: "thinking_delta", thinking: half }));
  return [...thought, { type: "signature_delta", signature }];
}
