import { chmodSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { WrittenResponse } from "@toolwright/doors/http";
import { ToolwrightError } from "@toolwright/engine";
import { type ClientAddress, readClientAddress } from "./client-address.ts";
import { type FetchHandler, keepHttpRules, refuseAddress } from "./http-rules.ts";
import { WrittenAnswers } from "./written-answers.ts";

export interface Listening {
  readonly url: string;
  /** Takes no more requests, lets `finish` end what is open, and cuts off what is left after `graceMs`. */
  close(graceMs: number, finish: () => Promise<void>): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** A unix socket in the place of host and port: its path. Only this user can connect. */
  readonly socket?: string;
  /** Default: where its connection comes from. */
  readonly addressOf?: ClientAddress;
  readonly onError: (error: unknown) => void;
  /** Milliseconds for a request to arrive, with its body; how long its answer takes is another matter. Default 30 seconds. */
  readonly requestMs?: number;
  /** Milliseconds for the headers of a request to arrive. Default 10 seconds. */
  readonly headersMs?: number;
  /** Milliseconds that a connection stays open between two requests. Default 30 seconds. */
  readonly idleMs?: number;
  /** What sees each request first, for who works on the console. Default: nothing does. */
  readonly front?: OpenFront | undefined;
}

/** Answers a request, or hands it on. */
export type Front = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
/** Made for the server that it stands before, which it may take connections of other protocols from. */
export type OpenFront = (server: Server) => Promise<Front>;

const defaultRequestMs = 30_000;
const defaultHeadersMs = 10_000;
const defaultIdleMs = 30_000;

/** Serves a fetch handler. The signal of a request aborts when its client goes away before the answer is out. */
export async function listen(handle: FetchHandler, options: ListenOptions): Promise<Listening> {
  const { host, port, socket, requestMs = defaultRequestMs, headersMs = defaultHeadersMs, idleMs = defaultIdleMs } = options;
  const headersTimeout = Math.min(headersMs, requestMs);
  const limits = {
    requestTimeout: requestMs,
    headersTimeout,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(1_000, headersTimeout),
  };
  const server = createServer(limits);
  const front = await options.front?.(server);
  const listener = listenerOf(handle, options);
  server.on("request", (incoming, outgoing) =>
    front ? front(incoming, outgoing, () => void listener(incoming, outgoing)) : void listener(incoming, outgoing),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    if (socket === undefined) server.listen(port, host, resolve);
    else server.listen(socket, resolve);
  });
  if (socket !== undefined) chmodSync(socket, 0o600);
  return {
    url: urlOf(server.address()),
    async close(graceMs, finish) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const limit = setTimeout(() => server.closeAllConnections(), graceMs);
      server.closeIdleConnections();
      await Promise.race([finish(), closed]);
      server.closeIdleConnections();
      await closed;
      clearTimeout(limit);
    },
  };
}

function urlOf(bound: string | AddressInfo | null): string {
  if (bound === null || typeof bound === "string") return "http://localhost";
  return `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

function listenerOf(handle: FetchHandler, { onError, addressOf = readClientAddress(undefined) }: ListenOptions) {
  const written = new WrittenAnswers();
  const answer = async (request: Request, incoming: IncomingMessage): Promise<Response> => {
    try {
      return keepHttpRules(request, incoming, addressOf) ?? (await handle(request));
    } catch (error) {
      // Of a client that left while it sent, nobody has to know.
      if (!incoming.errored) onError(error);
      return new Response("Internal error. The server's log says more.\n", { status: 500, headers: { "content-type": "text/plain" } });
    }
  };
  const serve = async (request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> => {
    const response = await answer(request, incoming);
    if (!(response instanceof WrittenResponse)) return response;
    written.send(outgoing, response);
    return RESPONSE_ALREADY_SENT;
  };
  return getRequestListener((request, env) => serve(request, env as HttpBindings), {
    hostname: "localhost",
    // What else runs in this process keeps the platform's Request and Response.
    overrideGlobalObjects: false,
    // Reached only by what no Request can be made of.
    errorHandler: refuseAddress,
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const refuse = (message: string) => new ToolwrightError("server_unavailable", message, { cause: error });
  switch (error.code) {
    case "EADDRINUSE":
      return refuse(
        `Port ${port} of ${host} is taken by another program. Stop that, or choose another: --port ${port + 1} (npm start -- --port ${port + 1}).`,
      );
    case "EACCES":
      return refuse(`Port ${port} may not be used by this user. Choose one above 1023, e.g. --port 7777.`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return refuse(`${host} is not an address of this machine. Use --host 127.0.0.1 or --host 0.0.0.0.`);
    default:
      return error;
  }
}
