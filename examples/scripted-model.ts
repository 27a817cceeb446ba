// A model server for examples and tests: it speaks the chat completions of OpenAI over HTTP on loopback, and says what its script says.
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
  type ScriptedUsage,
  type SentAnswer,
  sendJson,
  serveScript,
  textOfInput,
} from "./scripted-server.ts";

export type { ScriptedCall } from "./scripted-server.ts";

/** What the model was sent, as far as scripts and tests look at it. */
export interface ModelRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
  }[];
  readonly tools?: readonly {
    readonly function: {
      readonly name: string;
      readonly description?: string;
      readonly parameters: Record<string, unknown>;
      readonly strict?: boolean;
    };
  }[];
}

export type ScriptedAnswer = ScriptedAnswerTo<ModelRequest>;
export type ScriptedModel = ScriptedServer<ModelRequest>;

/** Serves one answer a request, in order; past the end of the script it answers 500. */
export function serveScriptedModel(script: Iterable<ScriptedAnswer>, options?: ScriptedServerOptions): Promise<ScriptedModel> {
  return serveScript(script, { base: "/v1", refuse, send: (outgoing, request, answer) => send(outgoing, request, answer) }, options);
}

function refuse({ messages }: ModelRequest): Refusal | undefined {
  const message = problemOf(messages);
  return message === undefined
    ? undefined
    : { status: 400, body: { error: { message, type: "invalid_request_error", param: "messages" } } };
}

/** In the words of servers that are strict: OpenAI's own, vLLM, Ollama. */
function problemOf(messages: ModelRequest["messages"]): string | undefined {
  for (const [at, { role, content, tool_calls: calls = [] }] of messages.entries()) {
    for (const [index, { id, function: called }] of calls.entries()) {
      const place = `messages[${at}].tool_calls[${index}]`;
      if (!isToolName(called.name)) return `Invalid '${place}.function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.`;
      if (!isObjectText(called.arguments)) return `Invalid '${place}.function.arguments': invalid tool call arguments.`;
      if (id === "" || id.length > 40) return `Invalid '${place}.id': expected a string of 1 to 40 characters.`;
    }
    const ids = calls.map(({ id }) => id);
    if (new Set(ids).size < ids.length) return `Invalid 'messages[${at}].tool_calls': ids must be unique.`;
    const results = messages.slice(at + 1, at + 1 + ids.length).map(({ tool_call_id: id }) => id);
    const missing = ids.filter((id) => !results.includes(id));
    if (missing.length > 0) return `tool_call_ids did not have response messages: ${missing.join(", ")}`;
    if (role === "tool" && typeof content !== "string") return `Invalid type for 'messages[${at}].content': expected a string.`;
  }
  return undefined;
}

function isObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function send(outgoing: ServerResponse, { model, stream }: ModelRequest, answer: SentAnswer): void {
  if (stream) sendChunks(outgoing, model, answer);
  else sendWhole(outgoing, model, answer);
}

let count = 0;
let answered = 0;

function messageOf(parts: readonly ScriptedPart[]) {
  const joined = (of: (part: ScriptedPart) => string) => parts.map(of).join("") || null;
  const thought = joined((part) => ("thought" in part ? part.thought : ""));
  const calls = parts.flatMap((part) => ("name" in part ? [part] : []));
  const toolCalls = calls.map(({ id, name, input }, index) => ({
    index,
    id: id ?? `call_${++count}`,
    type: "function",
    function: { name, arguments: textOfInput(input) },
  }));
  return {
    role: "assistant",
    content: joined((part) => ("text" in part ? part.text : "")),
    ...(thought !== null && { reasoning_content: thought }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
}

const reasonOf = (parts: readonly ScriptedPart[]) => (parts.some((part) => "name" in part) ? "tool_calls" : "stop");

function toUsage({ input, cached, output }: ScriptedUsage) {
  const details = { prompt_tokens_details: { cached_tokens: cached } };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...details };
}

/** Each answer has its own, by which some frameworks tell messages apart. */
const nextId = () => `chatcmpl-${++answered}`;

function sendWhole(outgoing: ServerResponse, model: string, { parts, usage }: SentAnswer): void {
  const choices = [{ index: 0, message: messageOf(parts), finish_reason: reasonOf(parts) }];
  const body = { id: nextId(), object: "chat.completion", created: 0, model, choices, ...(usage && { usage: toUsage(usage) }) };
  sendJson(outgoing, { status: 200, body });
}

function sendChunks(outgoing: ServerResponse, model: string, { parts, usage }: SentAnswer): void {
  const id = nextId();
  const chunk = { id, object: "chat.completion.chunk", created: 0, model, ...(usage && { usage: toUsage(usage) }) };
  const write = (choice: object) => outgoing.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }] })}\n\n`);
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  const { content, reasoning_content: thought, ...message } = messageOf(parts);
  for (const half of halvesOf(thought ?? "")) write({ delta: { role: "assistant", reasoning_content: half } });
  for (const half of halvesOf(content ?? "")) write({ delta: { role: "assistant", content: half } });
  write({ delta: message });
  write({ delta: {}, finish_reason: reasonOf(parts) });
  outgoing.end("data: [DONE]\n\n");
}
