// A model server for examples and tests: it speaks the chat completions of OpenAI over HTTP on loopback, and says what its script says.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A call that the model makes. Text as `input` goes out as it is, broken or not. */
export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
}

/** One answer: words, calls of tools, or whatever a function writes. */
export type ScriptedAnswer = ScriptedWords | ((outgoing: ServerResponse, request: ModelRequest) => unknown);
type ScriptedWords = string | readonly ScriptedCall[];

/** What the model was sent, as far as scripts and tests look at it. */
export interface ModelRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly {
    readonly function: {
      readonly name: string;
      readonly description?: string;
      readonly parameters: Record<string, unknown>;
      readonly strict?: boolean;
    };
  }[];
}

export interface ScriptedModel {
  /** For `baseURL`. */
  readonly url: string;
  /** All that came, oldest first. */
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

/** Serves one answer a request, in order; past the end of the script it answers 500. */
export async function serveScriptedModel(script: Iterable<ScriptedAnswer>): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const answers = script[Symbol.iterator]();
  const server = createServer(async (incoming, outgoing) => {
    const request = JSON.parse(await readText(incoming)) as ModelRequest;
    requests.push(request);
    const { value, done } = answers.next();
    if (done) outgoing.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"The script is over."}}');
    else if (typeof value === "function") value(outgoing, request);
    else if (request.stream) sendChunks(outgoing, request.model, value);
    else sendWhole(outgoing, request.model, value);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
  return text;
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
let count = 0;
let answered = 0;

function messageOf(answer: ScriptedWords) {
  if (typeof answer === "string") return { role: "assistant", content: answer };
  const calls = answer.map(({ id, name, input }, index) => ({
    index,
    id: id ?? `call_${++count}`,
    type: "function",
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
  }));
  return { role: "assistant", content: null, tool_calls: calls };
}

const reasonOf = (answer: ScriptedWords) => (typeof answer === "string" ? "stop" : "tool_calls");

/** Each answer has its own, by which some frameworks tell messages apart. */
const nextId = () => `chatcmpl-${++answered}`;

function sendWhole(outgoing: ServerResponse, model: string, answer: ScriptedWords): void {
  const choices = [{ index: 0, message: messageOf(answer), finish_reason: reasonOf(answer) }];
  outgoing
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ id: nextId(), object: "chat.completion", created: 0, model, choices, usage }));
}

function sendChunks(outgoing: ServerResponse, model: string, answer: ScriptedWords): void {
  const id = nextId();
  const send = (choice: object) =>
    outgoing.write(
      `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 0, model, choices: [{ index: 0, ...choice }], usage })}\n\n`,
    );
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  send({ delta: messageOf(answer) });
  send({ delta: {}, finish_reason: reasonOf(answer) });
  outgoing.end("data: [DONE]\n\n");
}
