import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { AcceptedConnection } from "@toolwright/sandbox";
import { type ClientAddress, readClientAddress } from "./client-address.ts";
import { NodeRequest } from "./node-request.ts";

export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** Where the address of the client is; whatever the client sent under this name is dropped. */
export const addressHeader = "x-toolwright-address";

const plainText = { "content-type": "text/plain" };

/** Bytes up to which a request is read before it is handled: for so few a stream costs more than the work itself. */
const smallBody = 64 * 1024;

/**
 * Serves a fetch handler on `node:http`. The request's signal aborts when the client goes away before the answer is out. Without `addressOf` the
 * address of a client is where its connection comes from.
 */
export function nodeListener(
  handle: FetchHandler,
  onError: (error: unknown) => void,
  addressOf: ClientAddress = readClientAddress(undefined),
): RequestListener {
  return (incoming, outgoing) => {
    serve({ handle, addressOf }, incoming, outgoing).catch((error: unknown) => {
      onError(error);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500, plainText).end("Internal error. The server's log says more.\n");
    });
  };
}

interface Serving {
  readonly handle: FetchHandler;
  readonly addressOf: ClientAddress;
}

async function serve({ handle, addressOf }: Serving, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) gone.abort(new Error("The client went away."));
  });
  const headers = headersOf(incoming, addressOf);
  const url = urlOf(headers.get("host"), incoming.url);
  if (!url) {
    outgoing
      .writeHead(400, plainText)
      .end("The Host header must be a name with or without a port, and the target of the request a path.\n");
    return;
  }
  // What no Request can be made of; CONNECT does not get here.
  if (incoming.method === "TRACE") {
    outgoing.writeHead(405, { ...plainText, allow: "GET, HEAD, POST, DELETE" }).end("TRACE is not served.\n");
    return;
  }
  let body: Buffer | ReadableStream | null;
  try {
    body = await readBody(incoming);
  } catch (error) {
    if (gone.signal.aborted) return;
    throw error;
  }
  const request = requestOf(url, { method: incoming.method ?? "GET", headers, signal: gone.signal, body });
  const { localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 } = incoming.socket;
  connections.set(request, { local: { address: localAddress, port: localPort }, remote: { address: remoteAddress, port: remotePort } });
  await send(await handle(request), outgoing, gone.signal);
}

interface RequestParts {
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly body: Buffer | ReadableStream | null;
}

function requestOf(url: URL, { body, ...parts }: RequestParts): Request {
  if (body === null || Buffer.isBuffer(body)) return new NodeRequest(url, { ...parts, bytes: body }) as unknown as Request;
  return new Request(url, { ...parts, body, duplex: "half" } as RequestInit);
}

/** For handlers that copy a request, or read it in another way than all at once. */
export function wholeRequest(request: Request): Request {
  if (!isHeld(request)) return request;
  const connection = connections.get(request);
  if (connection) connections.set(request.whole, connection);
  return request.whole;
}

const isHeld = (request: unknown): request is NodeRequest & Request => request instanceof NodeRequest;

const connections = new WeakMap<Request, AcceptedConnection>();

/** On which a request came; undefined for one that came on none. */
export function connectionOf(request: Request): AcceptedConnection | undefined {
  return connections.get(request);
}

/** A name or an address, and a port: nothing that a URL would take for a user or a path. Two Host headers come as one with a comma in it. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function urlOf(host: string | null, target = "/"): URL | null {
  // A client of HTTP/1.0 may leave it out.
  if ((host !== null && !hostForm.test(host)) || !target.startsWith("/")) return null;
  return URL.parse(`http://${host ?? "localhost"}${target}`);
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | ReadableStream | null> {
  if (incoming.method === "GET" || incoming.method === "HEAD") return null;
  const isSmall = Number(incoming.headers["content-length"] ?? Number.NaN) <= smallBody;
  return isSmall ? buffer(incoming) : (Readable.toWeb(incoming) as ReadableStream);
}

function headersOf(incoming: IncomingMessage, addressOf: ClientAddress): Headers {
  const { rawHeaders } = incoming;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  }
  headers.set(addressHeader, addressOf(incoming));
  // Proxies speak it by default (nginx) and may add nothing; RFC 9110 section 7.6.3 wants this of them.
  if (incoming.httpVersion !== "1.1" && !headers.has("via")) headers.set("via", `${incoming.httpVersion} unknown`);
  return headers;
}

async function send(response: Response, outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return void response.body?.cancel();
  const headers = [...response.headers].flat();
  if (response.body && response.headers.get("content-type")?.startsWith("application/json")) {
    const bytes = Buffer.from(await response.arrayBuffer());
    outgoing.writeHead(response.status, [...headers, "content-length", String(bytes.length)]).end(bytes);
    return;
  }
  outgoing.writeHead(response.status, headers);
  if (!response.body) return void outgoing.end();
  // A stream of events may be silent for long: its head must not wait for the first of them.
  outgoing.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
  } catch (error) {
    if (!gone.aborted) throw error;
  }
}
