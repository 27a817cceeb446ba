// What the scripted model servers share: HTTP on loopback, one answer of the script a request. Each wire format is a file of its own beside this one.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A call that the model makes. Text as `input` goes out as it is, broken or not. */
export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
}

/** What the model thinks before it goes on. The seal is the provider's own: it has to come back as it went out. */
export interface ScriptedThought {
  readonly thought: string;
  readonly seal: string;
}

export type ScriptedPart = { readonly text: string } | ScriptedThought | ScriptedCall;
export type ScriptedWords = string | readonly ScriptedPart[];

/** One answer: words, calls of tools, or whatever a function writes. */
export type ScriptedAnswerTo<Request> = ScriptedWords | ((outgoing: ServerResponse, request: Request) => unknown);

export interface ScriptedUsage {
  /** All tokens that came in, those of the cache too. */
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

export interface ScriptedServerOptions {
  /** Null: the server says nothing of it. */
  readonly usage?: ScriptedUsage | null;
}

export interface ScriptedServer<Request> {
  /** For `baseURL`. */
  readonly url: string;
  /** All that came, oldest first. */
  readonly requests: readonly Request[];
  /** The same, as it came. */
  readonly bodies: readonly string[];
  readonly headers: readonly IncomingHttpHeaders[];
  close(): Promise<void>;
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** One wire format. */
export interface ScriptedWire<Request> {
  /** Follows the address in `baseURL`. */
  readonly base: string;
  /** What the provider would refuse. */
  readonly refuse?: (request: Request) => Refusal | undefined;
  readonly send: (outgoing: ServerResponse, request: Request, answer: SentAnswer) => void;
}

export interface SentAnswer {
  readonly parts: readonly ScriptedPart[];
  readonly usage: ScriptedUsage | null;
}

/** Serves one answer a request, in order; past the end of the script it answers 500. */
export async function serveScript<Request>(
  script: Iterable<ScriptedAnswerTo<Request>>,
  { base, refuse, send }: ScriptedWire<Request>,
  { usage = { input: 1, cached: 0, written: 0, output: 1 } }: ScriptedServerOptions = {},
): Promise<ScriptedServer<Request>> {
  const requests: Request[] = [];
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const answers = script[Symbol.iterator]();
  const server = createServer(async (incoming, outgoing) => {
    const body = await readText(incoming);
    const request = JSON.parse(body) as Request;
    bodies.push(body);
    requests.push(request);
    headers.push(incoming.headers);
    const refusal = isWellFormed(request) ? refuse?.(request) : { status: 400, body: notWellFormed };
    if (refusal) return sendJson(outgoing, refusal);
    const { value, done } = answers.next();
    if (done) sendJson(outgoing, { status: 500, body: { error: { message: "The script is over." } } });
    else if (typeof value === "function") value(outgoing, request);
    else send(outgoing, request, { parts: typeof value === "string" ? [{ text: value }] : value, usage });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    requests,
    bodies,
    headers,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const notWellFormed = {
  error: { message: "The request body is not valid JSON: no low surrogate in string", type: "invalid_request_error" },
};

/** False where a text holds half of a surrogate pair, which JSON carries as an escape and servers refuse to read. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, item]) => name.isWellFormed() && isWellFormed(item));
}

/** What every provider takes as the name of a tool. */
export const isToolName = (name: unknown) => typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name);

export const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

export function sendJson(outgoing: ServerResponse, { status, headers, body }: Refusal): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
  return text;
}

export const textOfInput = (input: unknown) => (typeof input === "string" ? input : JSON.stringify(input));

/** In two pieces, as a stream has more than one. */
export function halvesOf(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}
