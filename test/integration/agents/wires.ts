import type { ServerResponse } from "node:http";
import { type ConverseRequest, frameEvent, serveScriptedConverse } from "../../../examples/scripted-converse.ts";
import { type MessagesRequest, serveScriptedMessages } from "../../../examples/scripted-messages.ts";
import { type ModelRequest, serveScriptedModel } from "../../../examples/scripted-model.ts";
import { type ResponsesRequest, serveScriptedResponses } from "../../../examples/scripted-responses.ts";
import type { WorldModel } from "./agents-world.ts";

/** A wire format, as the tests of all of them look at it. */
export interface Wire<Request> extends WorldModel<Request> {
  readonly name: string;
  readonly toolsOf: (request: Request) => readonly string[];
  /** What its cache goes by: instructions, tools, and each message. */
  readonly prefixOf: (request: Request) => readonly unknown[];
  /** Where the cache is to end. */
  readonly marksOf: (request: Request) => number;
  /** The beginning of an answer, up to the word "Half". */
  readonly beginning: readonly (string | Buffer)[];
  /** An error in the middle of an answer that may be well the next time. */
  readonly hiccup: string | Buffer;
  /** What the model is opened with. */
  readonly key: string;
  /** How it refuses a key, a conversation that is too long, and an account without credit. */
  readonly refusals: Readonly<Record<"key" | "context" | "quota", { readonly status: number; readonly body: (key: string) => unknown }>>;
}

const sse = (data: Readonly<Record<string, unknown>>) =>
  `${data.type === undefined ? "" : `event: ${data.type}\n`}data: ${JSON.stringify(data)}\n\n`;
const openAIError = (status: number, message: string, code: string) => ({
  status,
  body: (key: string) => ({ error: { message: `${message} ${key}`, type: "invalid_request_error", param: null, code } }),
});
const openAIRefusals = {
  key: openAIError(401, "Incorrect API key provided:", "invalid_api_key"),
  context: openAIError(400, "Your input exceeds the context window of this model.", "context_length_exceeded"),
  quota: openAIError(429, "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"),
};

const chunk = (delta: object) =>
  sse({ ...{ id: "c", object: "chat.completion.chunk", created: 0, model: "m" }, ...{ choices: [{ index: 0, delta }] } });

export const chat: Wire<ModelRequest> = {
  name: "Chat Completions",
  usual: "openai-compatible/scripted-1",
  serve: serveScriptedModel,
  toolsOf: ({ tools = [] }) => tools.map(({ function: { name } }) => name),
  prefixOf: ({ tools, messages }) => [tools, ...messages],
  marksOf: () => 0,
  beginning: [chunk({ role: "assistant", content: "Half" })],
  hiccup: sse({ error: { message: "Overloaded", type: "server_error", code: 503 } }),
  key: "key-canary-1",
  refusals: openAIRefusals,
};

const response = { id: "resp_x", object: "response", created_at: 0, model: "m", output: [] };
const message = { type: "message", id: "msg_x", role: "assistant", content: [] };

export const responses: Wire<ResponsesRequest> = {
  name: "Responses",
  usual: "openai/gpt-5.4",
  serve: serveScriptedResponses,
  toolsOf: ({ tools = [] }) => tools.map(({ name }) => name),
  prefixOf: ({ tools, input }) => [tools, ...input],
  marksOf: () => 0,
  beginning: [
    sse({ type: "response.created", response }),
    sse({ type: "response.output_item.added", output_index: 0, item: message }),
    sse({ type: "response.output_text.delta", item_id: "msg_x", output_index: 0, content_index: 0, delta: "Half" }),
  ],
  hiccup: sse({
    type: "response.failed",
    ...{ sequence_number: 9, response: { ...response, error: { code: "server_error", message: "The server had an error." } } },
  }),
  key: "sk-canary-openai",
  refusals: openAIRefusals,
};

const anthropicError = (status: number, type: string, words: string) => ({
  status,
  body: (key: string) => ({ type: "error", error: { type, message: `${words} ${key}` } }),
});
const withoutMarks = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (name, part) => (name === "cache_control" ? undefined : part)) ?? "null");

export const messages: Wire<MessagesRequest> = {
  name: "Messages",
  usual: "anthropic/claude-opus-5-5",
  serve: serveScriptedMessages,
  toolsOf: ({ tools = [] }) => tools.map(({ name }) => name),
  prefixOf: ({ system, tools, messages }) => withoutMarks([system, tools, ...messages]),
  marksOf: (request) => JSON.stringify(request).split('"cache_control"').length - 1,
  beginning: [
    sse({
      type: "message_start",
      ...{ message: { id: "m", role: "assistant", model: "m", content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
    }),
    sse({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    sse({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } }),
  ],
  hiccup: sse({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
  key: "sk-canary-anthropic",
  refusals: {
    key: anthropicError(401, "authentication_error", "invalid x-api-key"),
    context: anthropicError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    quota: anthropicError(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
  },
};

const bedrockError = (status: number, words: string) => ({ status, body: (key: string) => ({ message: `${words} ${key}` }) });
const isMark = (block: Readonly<Record<string, unknown>>) => "cachePoint" in block;

export const converse: Wire<ConverseRequest> = {
  name: "ConverseStream",
  usual: "bedrock/eu.anthropic.claude-opus-4-8",
  serve: serveScriptedConverse,
  toolsOf: ({ toolConfig }) => toolConfig?.tools.map(({ toolSpec: { name } }) => name) ?? [],
  prefixOf: ({ system = [], toolConfig, messages }) => [
    system.filter((block) => !isMark(block)),
    toolConfig,
    ...messages.map(({ role, content }) => ({ role, content: content.filter((block) => !isMark(block)) })),
  ],
  marksOf: ({ system = [], messages }) => [...system, ...messages.flatMap(({ content }) => content)].filter(isMark).length,
  beginning: [
    frameEvent("messageStart", { role: "assistant" }),
    frameEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Half" } }),
  ],
  hiccup: frameEvent("throttlingException", { message: "Too many tokens, please wait before trying again." }, "exception"),
  key: "canary/aws/secret",
  refusals: {
    key: bedrockError(403, "The security token included in the request is invalid."),
    context: bedrockError(400, "Input is too long for requested model."),
    quota: bedrockError(429, "Too many tokens per day, please wait before trying again."),
  },
};

/** Begins an answer in the wire's format and leaves it open. */
export function begin(outgoing: ServerResponse, { beginning }: Pick<Wire<never>, "beginning">): void {
  outgoing.writeHead(200, {
    "content-type": typeof beginning[0] === "string" ? "text/event-stream" : "application/vnd.amazon.eventstream",
  });
  for (const piece of beginning) outgoing.write(piece);
}
