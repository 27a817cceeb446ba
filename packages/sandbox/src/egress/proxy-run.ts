import type { ClientRequest, IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import type { HostAndPort } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import { nodeHttp } from "../http/node-http.ts";
import { describeRefusal, type Egress, judgeTarget, namedTarget, reachTarget } from "./reach-target.ts";
import type { Refusal, TrafficLog } from "./traffic-log.ts";

interface ProxyOptions extends Egress {
  readonly log: TrafficLog;
  /** Bytes in both directions, all connections together. */
  readonly maxBytes: number;
  /** Milliseconds without a byte after which a connection is closed. */
  readonly idleMs: number;
}

/** RFC 9110 section 7.6.1 and what older clients say to proxies; `host` is written anew from the judged URL. */
const ownHeaders = new Set([
  ...["connection", "proxy-connection", "keep-alive", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "host"],
]);

/** The proxy of one run: CONNECT for what is encrypted, and plain HTTP in absolute form. */
export function createProxy(options: ProxyOptions): Server {
  // Whatever a run or a server sends, it ends a connection and not this process.
  const server = nodeHttp().createServer((request, response) => void forward(request, response, options).catch(() => response.destroy()));
  server.on("connect", (request, client, head) => void tunnel(request, { client, head }, options).catch(() => client.destroy()));
  server.on("clientError", (_error, client) => client.destroy());
  // Node would end an upload after five minutes; here `idleMs` and the end of the run do.
  server.requestTimeout = 0;
  return server;
}

type Client = { readonly client: Duplex; readonly head: Buffer };

async function tunnel({ url = "" }: IncomingMessage, { client, head }: Client, options: ProxyOptions): Promise<void> {
  client.on("error", () => {});
  const opened = await open({ raw: `https://${url}`, protocol: "https:" }, options);
  if ("sentence" in opened) {
    const { status, sentence } = opened;
    client.end(
      `HTTP/1.1 ${status} Refused\r\nproxy-status: ${proxyStatus(status)}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(sentence)}\r\n\r\n${sentence}`,
    );
    return;
  }
  const { upstream } = opened;
  endWith(client, upstream);
  // What the run has not yet read of an answer that is complete must still reach it.
  upstream.on("close", (failed) => (failed ? client.destroy() : client.end()));
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) client.unshift(head);
  meter(client, opened, options);
  client.pipe(upstream).pipe(client);
}

/** Tells answers of this proxy from those of servers (RFC 9209). */
const proxyStatus = (status: Refusal["status"]) =>
  `toolwright; error=${status === 403 ? "http_request_denied" : "destination_unavailable"}`;

function writeRefusal(response: ServerResponse, { status, sentence }: Refusal): void {
  const headers = { "content-type": "text/plain", "proxy-status": proxyStatus(status), connection: "close" };
  response.writeHead(status, headers).end(sentence);
}

async function forward(request: IncomingMessage, response: ServerResponse, options: ProxyOptions): Promise<void> {
  const opened = await open({ raw: request.url ?? "", protocol: "http:" }, options);
  if ("sentence" in opened) {
    writeRefusal(response, opened);
    return;
  }
  const { upstream, url } = opened;
  endWith(response, upstream);
  const sent = nodeHttp().request({
    createConnection: () => upstream,
    method: request.method ?? "GET",
    path: url.pathname + url.search,
    headers: { ...endToEnd(request.headers), host: url.host },
  });
  meter(request, opened, options);
  request.pipe(sent);
  const answer = await answerTo(sent, upstream);
  if (answer === undefined) {
    writeRefusal(response, { status: 502, sentence: `${url.host} gave no answer.` });
    return;
  }
  response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
  answer.on("error", () => response.destroy());
  answer.pipe(response);
}

/** Undefined when the connection ended without one. */
function answerTo(sent: ClientRequest, upstream: Socket): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    sent.on("response", resolve);
    sent.on("error", () => resolve(undefined));
    upstream.on("close", () => resolve(undefined));
  });
}

/** The run may have gone while its connection was opened; then there is no "close" to wait for any more. */
function endWith(client: Duplex | ServerResponse, upstream: Socket): void {
  client.on("close", () => upstream.destroy());
  if (client.destroyed) upstream.destroy();
}

function endToEnd(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name) && !named.includes(name)));
}

interface Opened {
  readonly upstream: Socket;
  readonly url: URL;
  readonly target: HostAndPort;
}

interface Wanted {
  readonly raw: string;
  readonly protocol: "http:" | "https:";
}

/** A socket to where the URL says, or why there is none; either way it is in the log. */
async function open({ raw, protocol }: Wanted, options: ProxyOptions): Promise<Opened | Refusal> {
  const { log, maxBytes, idleMs } = options;
  let target = namedTarget(raw);
  try {
    const { host, port, url } = judgeTarget(raw, options);
    target = { host, port };
    if (url.protocol !== protocol) throw new ToolwrightError("url_refused", "Only http URLs can be asked for without a tunnel.");
    if (log.bytes > maxBytes) throw new ToolwrightError("url_refused", `The run has used up its ${maxBytes} bytes of network traffic.`);
    const upstream = await reachTarget(target, options);
    upstream.on("error", () => {});
    upstream.setTimeout(idleMs, () => upstream.destroy());
    log.entry(target).allowed++;
    return { upstream, url, target };
  } catch (error) {
    const refusal = describeRefusal(error, target);
    log.refuse(target, refusal);
    return refusal;
  }
}

/** Counts what passes, and ends the connection when the run has had its share. */
function meter(source: Readable, { upstream, target }: Opened, { log, maxBytes }: ProxyOptions): void {
  const count = (direction: "sent" | "received") => (chunk: Buffer) => {
    log.count(target, direction, chunk.length);
    if (log.bytes <= maxBytes) return;
    log.note(`The run moved more than ${maxBytes} bytes over the network, so its connections were closed.`);
    upstream.destroy();
  };
  source.on("data", count("sent"));
  upstream.on("data", count("received"));
}
