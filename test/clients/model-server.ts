import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { anthropicMessages } from "./wire/anthropic-messages.ts";
import { geminiGenerate } from "./wire/gemini-generate.ts";
import { openAIChat } from "./wire/openai-chat.ts";
import { openAIResponses } from "./wire/openai-responses.ts";
import { isOurs, type ModelReply, type ModelRequest, type ShownTool } from "./wire/wire.ts";

const wires = [openAIResponses, anthropicMessages, geminiGenerate, openAIChat];

/** One thing that the model does: a call of one of our tools or of the client's own, or something else first. */
export type Step = { readonly tool: string; readonly input: object; readonly own?: true } | { readonly before: () => Promise<void> };

/** What the model saw while it played its script. */
export interface Played {
  /** Our tools, as the first request listed them. */
  readonly tools: readonly string[];
  /** What each call gave, as the model read it. */
  readonly results: readonly string[];
}

/**
 * A model that does as it is told. Each client has a path of its own, and a script at a time: the model goes on with the step that its request
 * has come to, so that a client which asks twice gets the same answer, and what a client asks beside (titles, summaries) is answered shortly.
 */
export class ModelServer {
  readonly #server: Server;
  readonly #scripts = new Map<string, Script>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response).catch(() => response.destroy()));
  }

  static async start(): Promise<ModelServer> {
    const model = new ModelServer();
    await new Promise<void>((resolve) => model.#server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  /** Where a client finds its model. */
  url(client: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${client}`;
  }

  /** Plays these steps to the next run of a client; gives what the model has seen so far. */
  play(client: string, steps: readonly Step[]): () => Played {
    const script: Script = { steps, done: 0, tools: [], results: [] };
    this.#scripts.set(client, script);
    return () => ({ tools: [...script.tools], results: [...script.results] });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const words = await text(request);
    const wire = wires.find((each) => each.answers(pathname));
    if (!wire || request.method !== "POST")
      return void response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"not here"}}');
    const body: unknown = JSON.parse(words);
    const reply = await this.#next(pathname.split("/")[1] ?? "", wire.read(body));
    const { type, body: answer } = wire.write(reply, { path: pathname, body });
    response.writeHead(200, { "content-type": type }).end(answer);
  }

  async #next(client: string, { tools, results, deferred }: ModelRequest): Promise<ModelReply> {
    const script = this.#scripts.get(client);
    const shown = tools.filter(isOurs);
    const named = [...shown, ...(deferred?.tools ?? [])];
    if (script === undefined || named.length === 0) return { text: "Fine." };
    if (script.tools.length === 0) script.tools = [...new Set(named.map(plainName))];
    script.results = results;
    const call = script.steps.filter((step) => "tool" in step)[results.length];
    if (call === undefined) return { text: "Done." };
    const at = script.steps.indexOf(call);
    const before = script.steps.slice(script.done, at);
    script.done = Math.max(script.done, at);
    for (const step of before) if ("before" in step) await step.before();
    const tool = call.own ? tools.find(({ name }) => name === call.tool) : shown.find((each) => plainName(each) === call.tool);
    if (tool) return { call: tool, input: call.input };
    const hidden = deferred?.tools.find((each) => plainName(each) === call.tool);
    return hidden && deferred ? deferred.ask(hidden.name) : { text: `There is no tool ${call.tool}.` };
  }
}

interface Script {
  readonly steps: readonly Step[];
  done: number;
  tools: readonly string[];
  results: readonly string[];
}

/** Without what the client puts before it. */
function plainName({ name }: ShownTool): string {
  return name.replace(/^.*toolwright_+/, "");
}
