import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { knowHeaderNames } from "@toolwright/doors/http";
import type { AcceptedConnection } from "@toolwright/sandbox";
import type { ClientAddress } from "./client-address.ts";

export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** On which a request came, and whose it is: behind a proxy that is not where it came from. */
interface Arrival {
  /** One object for all requests of a connection. */
  readonly connection: AcceptedConnection;
  readonly address: string;
}

const plainText = { "content-type": "text/plain" };

const arrivals = new WeakMap<Request, Arrival>();
const connections = new WeakMap<Socket, AcceptedConnection>();

/** Undefined for a request that came on no connection. */
export function arrivalOf(request: Request): Arrival | undefined {
  return arrivals.get(request);
}

/** A request as it came, before any handler sees it: the answer that refuses it, or undefined. */
export function keepHttpRules(request: Request, incoming: IncomingMessage, addressOf: ClientAddress): Response | undefined {
  if (!isAddressed(request, incoming)) return refuseAddress();
  if (request.method === "TRACE")
    return new Response("TRACE is not served.\n", { status: 405, headers: { ...plainText, allow: "GET, HEAD, POST, DELETE" } });
  // Proxies speak it by default (nginx) and may add nothing; RFC 9110 section 7.6.3 wants this of them.
  if (incoming.httpVersion === "1.1") knowHeaderNames(request, Object.keys(incoming.headers));
  else if (!request.headers.has("via")) request.headers.set("via", `${incoming.httpVersion} unknown`);
  arrivals.set(request, { connection: connectionOf(incoming.socket), address: addressOf(incoming) });
  return undefined;
}

function connectionOf(socket: Socket): AcceptedConnection {
  const known = connections.get(socket);
  if (known) return known;
  const { localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 } = socket;
  const connection = { local: { address: localAddress, port: localPort }, remote: { address: remoteAddress, port: remotePort } };
  connections.set(socket, connection);
  return connection;
}

/** A name or an address, and a port: nothing that a URL would take for a user or a path. Two Host headers come as one with a comma in it. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** A client of HTTP/1.0 may leave the Host out. */
function isAddressed({ headers, url }: Request, { url: target = "/" }: IncomingMessage): boolean {
  const host = headers.get("host");
  return (host === null || hostForm.test(host)) && target.startsWith("/") && URL.canParse(url);
}

export function refuseAddress(): Response {
  const words = "The Host header must be a name with or without a port, and the target of the request a path.\n";
  return new Response(words, { status: 400, headers: plainText });
}
