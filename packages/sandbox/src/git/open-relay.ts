import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, request, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Dial } from "../http/dial.ts";
import { dialFirst } from "../http/dial-first.ts";
import { nodeHttp } from "../http/node-http.ts";

/** One repository, as it may be reached. */
interface RelayTarget {
  /** Judged. */
  readonly url: URL;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** Checked; no other is dialled, whatever the name resolves to later. */
  readonly addresses: readonly string[];
  readonly authorization: string | undefined;
}

/** What the server did that ended a clone. */
export type RelayProblem =
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "moved"; readonly location: string }
  | { readonly kind: "not_git" }
  | { readonly kind: "too_large" }
  | { readonly kind: "unreachable"; readonly why: string };

interface RelayOptions {
  readonly dial: Dial;
  /** Bytes from the server. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly onData: () => void;
}

/** The one way from git to its repository. Git itself knows neither the token nor the address. */
export interface Relay {
  /** What git takes for the repository. It holds a random part, so that no other program of this machine finds the way. */
  readonly base: string;
  readonly port: number;
  /** The first that came up. */
  problem(): RelayProblem | undefined;
  close(): void;
}

const fetching = "git-upload-pack";
const fromGit = ["accept", "accept-encoding", "content-encoding", "content-length", "content-type", "git-protocol", "user-agent"];
const fromServer = ["content-encoding", "content-length", "content-type"];

/** Listens on the loopback and forwards the two requests of git's smart HTTP protocol that read, for one repository; nothing else. */
export async function openRelay(target: RelayTarget, { signal, ...options }: RelayOptions): Promise<Relay> {
  const secret = randomBytes(32).toString("base64url");
  const end = new AbortController();
  const state: RelayState = { ...options, target, problem: undefined, bytes: 0, signal: AbortSignal.any([signal, end.signal]) };
  const repository = target.url.pathname.replace(/(?<!\/)\/+$/, "");
  const paths = new Map([
    [`GET /${secret}/info/refs?service=${fetching}`, `${repository}/info/refs?service=${fetching}`],
    [`POST /${secret}/${fetching}`, `${repository}/${fetching}`],
  ]);
  const server = nodeHttp().createServer((request, response) => {
    const path = paths.get(`${request.method} ${request.url}`);
    if (path === undefined) response.writeHead(404).end();
    else void forward(request, response, { path, state }).catch((error: unknown) => fail(state, response, unreachable(error)));
  });
  server.on("clientError", (_error, client) => client.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}/${secret}`,
    port,
    problem: () => state.problem,
    close() {
      end.abort();
      server.close();
      server.closeAllConnections();
    },
  };
}

interface RelayState extends RelayOptions {
  readonly target: RelayTarget;
  problem: RelayProblem | undefined;
  bytes: number;
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { path, state }: { readonly path: string; readonly state: RelayState },
): Promise<void> {
  const { target, signal } = state;
  const { addresses, host, port, url, authorization } = target;
  const socket = await dialFirst(state.dial, addresses, { host, port, secure: url.protocol === "https:", signal });
  endWith(response, socket, signal);
  const sent = nodeHttp().request({
    createConnection: () => socket,
    method: request.method ?? "GET",
    path,
    headers: { ...pick(request.headers, fromGit), host: url.host, ...(authorization !== undefined && { authorization }) },
  });
  request.pipe(sent);
  const answer = await answerTo(sent, socket);
  const problem = judgeAnswer(answer, target.url);
  if (problem) {
    fail(state, response, problem);
    return;
  }
  response.writeHead(200, pick(answer.headers, fromServer));
  answer.on("data", (chunk: Buffer) => {
    state.onData();
    state.bytes += chunk.length;
    if (state.bytes > state.maxBytes) fail(state, response, { kind: "too_large" });
  });
  answer.on("error", (error) => fail(state, response, unreachable(error)));
  answer.pipe(response);
}

function answerTo(sent: ReturnType<typeof request>, socket: Socket): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on("response", resolve);
    sent.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection without an answer")));
  });
}

/** Undefined for what git may read: an answer of the smart protocol. */
function judgeAnswer({ statusCode = 0, headers }: IncomingMessage, url: URL): RelayProblem | undefined {
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined)
    return { kind: "moved", location: repositoryOf(headers.location, url) };
  if (statusCode !== 200) return { kind: "status", status: statusCode };
  return /^application\/x-git-upload-pack-(?:advertisement|result)$/i.test(headers["content-type"] ?? "") ? undefined : { kind: "not_git" };
}

/** A redirect names a file of the repository; people name the repository. User names and passwords in it are nobody's business. */
function repositoryOf(location: string, from: URL): string {
  const moved = URL.parse(location, from.href.replace(/(?<!\/)\/*$/, "/"));
  if (!moved) return "an unreadable URL";
  return `${moved.origin}${moved.pathname.replace(/\/info\/refs$/, "")}`;
}

function fail(state: RelayState, response: ServerResponse, problem: RelayProblem): void {
  state.problem ??= problem;
  if (response.headersSent) response.destroy();
  else response.writeHead(502, { connection: "close" }).end();
}

function unreachable(error: unknown): RelayProblem {
  const { code, message } = error as NodeJS.ErrnoException;
  return { kind: "unreachable", why: code ?? message };
}

function endWith(response: ServerResponse, socket: Socket, signal: AbortSignal): void {
  const destroy = () => socket.destroy();
  socket.on("error", () => {});
  response.on("close", destroy);
  signal.addEventListener("abort", destroy, { once: true });
  socket.on("close", () => signal.removeEventListener("abort", destroy));
  if (response.destroyed || signal.aborted) destroy();
}

function pick(headers: IncomingMessage["headers"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])));
}
