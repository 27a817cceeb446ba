import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
  PROTOCOL_VERSION_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Logger, Principal, Scope } from "@toolwright/engine";
import { type Clock, createMemoryClientSessions, sha256 } from "@toolwright/engine/ports";
import type { GuardOptions } from "../../http/authentication.ts";
import { checkExposure, createGuard, type Refusal } from "../../http/guard-request.ts";
import { ownerOf, principalKey } from "../../http/owners.ts";
import { type BodyLimits, JsonMeter, readText } from "../../http/read-body.ts";
import { isBusy, requestTurns } from "../../http/request-turns.ts";
import { WrittenResponse } from "../../http/written-response.ts";
import { buildServer } from "../build-server.ts";
import type { McpDoorOptions } from "../door-options.ts";
import { type Caller, createDoorParts, type DoorParts, isBelieved } from "../door-parts.ts";
import { type ChangeSink, followChanges } from "../follow-changes.ts";
import { oversized, parseMessage } from "../read-message.ts";
import { NewsStreams } from "./news-streams.ts";
import { checkParamHeaders } from "./param-headers.ts";
import { isId, PlainRequests } from "./plain-requests.ts";
import { refuse, refuseBusy, refuseMismatch } from "./refusal.ts";
import { Sessions } from "./sessions.ts";

/** One URL for MCP: 2026-07-28 without sessions, and 2025-era clients with them. */
export interface McpDoor {
  /** Answers every method on the door's URL. Never rejects. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

const megabyte = 1024 * 1024;
const hour = 3_600_000;

/** Opens the engine to MCP clients over HTTP. Throws when it would serve names beyond loopback without authentication. */
export function createMcpDoor(options: McpDoorOptions): McpDoor {
  checkExposure(options);
  const parts = createDoorParts(options, callerOf);
  const { clock, ids, logger } = parts;
  const { sessionTtlMs = hour, maxSessions = 4000, maxBodyBytes = 10 * megabyte, maxJsonDepth = 256 } = options;
  const modern = createMcpHandler(() => buildServer(parts, "modern"), {
    legacy: "reject",
    maxSubscriptions: maxSessions,
    maxRequestBodySize: maxBodyBytes,
    onerror: (error) => logger.log("debug", "An MCP request was refused.", { error: error.message }),
  });
  const sessions = new Sessions({
    ...{ clock, ids, logger, goneMs: options.clientGoneMs ?? 10_000 },
    kept: options.clientSessions ?? createMemoryClientSessions(),
    ttlMs: sessionTtlMs,
    max: maxSessions,
    build: () => buildServer(parts, "legacy"),
    onEnd: (id, { tenant }) => options.engine.endSession(tenant, sessionOf(id)),
  });
  const news = new NewsStreams({ clock, max: maxSessions });
  const plain = new PlainRequests(parts);
  const stopFollowing = followChanges(options, changeSink(modern, sessions));

  const guard = createMcpGuard(options, logger);
  const limits = { maxBytes: maxBodyBytes, maxDepth: maxJsonDepth };
  const serve = async (request: Request): Promise<Response> => {
    const principal = await guard(request);
    if (principal instanceof Response) return principal;
    // A client opens its stream of news first, so that it misses nothing.
    if (request.method !== "POST") return serveFor(principal, request);
    return requestTurns.answer(principal, request, () => serveFor(principal, request));
  };
  const serveFor = async (principal: Principal, request: Request): Promise<Response> => {
    const read = request.method === "POST" ? await readJsonBody(request, limits) : { body: undefined };
    if (read instanceof Response) return read;
    const { body } = read;
    const found = findSession(options, { principal, request, body });
    const authInfo = authInfoFor(principal, request, found instanceof Promise ? await found : found);
    const scopeOf = () => parts.scopeOf({ http: { authInfo } } as ServerContext);
    const refused = (await checkAnswer({ principal, request, body }, options, parts)) ?? checkCallHeaders(request, body, scopeOf);
    const direct = refused ?? plain.take(request, body, authInfo);
    if (direct) return direct;
    const caller = ownerOf(principal);
    const answer = async () => {
      if (claimsVersion(body) || !(await isLegacyRequest(request, body))) return modern.fetch(request, { authInfo, parsedBody: body });
      return sessions.handle({ request, body, caller, authInfo: { authInfo } });
    };
    if (!asksForNews(request, body)) return answer();
    return news.hold(caller, { answer, mayStay: async () => !((await guard(request)) instanceof Response) });
  };

  const answer = async (request: Request): Promise<Response> => {
    try {
      return await serve(request);
    } catch (error) {
      if (isBusy(error)) return refuseBusy(error);
      if (request.signal.aborted) logger.log("debug", "A client left before its request had arrived.", { error });
      else logger.log("error", "An MCP request failed.", { error });
      return WrittenResponse.json({ jsonrpc: "2.0", error: { code: -32603, message: "Internal error" }, id: null }, { status: 500 });
    }
  };

  return {
    fetch: (request) => streamLate(request, answer(request), clock),
    async close() {
      stopFollowing();
      parts.conversations.close();
      plain.close();
      await Promise.all([parts.tasks.close(), modern.close(), sessions.close()]);
    },
  };
}

/** Says who asks, or answers as MCP writes a refusal. */
function createMcpGuard(options: GuardOptions, logger: Logger): (request: Request) => Promise<Principal | Response> {
  const guard = createGuard(options, logger);
  return async (request) => {
    const principal = await guard(request);
    if ("refused" in principal) return writeRefusal(principal, options);
    if (request.method === "POST" && !isJsonContentType(request.headers.get("content-type"))) {
      return refuse(415, -32600, "The Content-Type must be application/json.");
    }
    return principal;
  };
}

function writeRefusal(
  { refused, status, message, headers, error }: Refusal,
  { authentication, resourceMetadataUrl }: GuardOptions,
): Response {
  if (error)
    return bearerAuthChallengeResponse(error, {
      requiredScopes: [...(authentication.scopes ?? [])],
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    });
  return refuse(status, refused === "misdirected" ? -32000 : -32600, message, headers);
}

/** The parsed body of a POST, or the answer that refuses it (R-MC-9). */
async function readJsonBody(request: Request, limits: BodyLimits): Promise<{ readonly body: unknown } | Response> {
  const read = await readText(request, limits.maxBytes, new JsonMeter(limits.maxDepth));
  if ("text" in read) {
    const message = parseMessage(read.text);
    return "body" in message ? message : refuse(400, message.code, message.message);
  }
  switch (read.fault) {
    case "too_large":
      return refuse(413, -32600, `The request is larger than ${limits.maxBytes} bytes.`);
    case "not_utf8":
      return refuse(400, -32700, "The request is not valid UTF-8.");
    case "oversize": {
      const { code, message } = oversized(read.oversize);
      return refuse(400, code, message);
    }
  }
}

/**
 * Refuses the answer of a 2025-11-25 client to an approval form where it comes from a place that counts for no person. An answer that cannot
 * be read ends its form, because the protocol layer drops such an answer and the call would wait on.
 */
async function checkAnswer({ principal, request, body }: Asked, options: McpDoorOptions, { forms: open }: Pick<DoorParts, "forms">) {
  const forms = answersForm(body) ? open.inSession(request.headers.get("mcp-session-id")) : [];
  if (forms.length === 0) return undefined;
  if (!(await isBelieved(options, principal, request))) {
    for (const form of forms) form.refused();
    return refuse(403, -32600, "An approval waits for a person, and an answer from where this one comes is not taken for a person's.");
  }
  if (!isReadable(body)) for (const form of forms) form.unreadable();
  return undefined;
}

/** In 2026-07-28 and in the sessions of 2025. */
function asksForNews({ method }: Request, body: unknown): boolean {
  return method === "GET" || (body as { method?: unknown } | undefined)?.method === "subscriptions/listen";
}

/** A message, or one of a batch, that answers what a session of 2025 was asked. */
function answersForm(body: unknown): boolean {
  if (Array.isArray(body)) return body.some(answersForm);
  return typeof body === "object" && body !== null && !("method" in body) && ("result" in body || "error" in body);
}

/** JSON-RPC 2.0, section 5, with the result that MCP wants: an object. */
function isReadable(body: unknown): boolean {
  if (Array.isArray(body)) return body.every(isReadable);
  const { result, error } = body as { readonly result?: unknown; readonly error?: { readonly code?: unknown } | null };
  if (error !== undefined) return typeof error === "object" && Number.isInteger(error?.code);
  return typeof result === "object" && result !== null && !Array.isArray(result);
}

/** Every request of 2026-07-28 says its version in `_meta`, so most need no closer look. */
function claimsVersion(body: unknown): boolean {
  const meta = (body as { params?: { _meta?: unknown } } | undefined)?.params?._meta;
  return typeof meta === "object" && meta !== null && PROTOCOL_VERSION_META_KEY in meta;
}

/** Before either path sees a call of 2026-07-28, because both would answer it. */
function checkCallHeaders({ headers }: Request, body: unknown, scopeOf: () => Scope): Response | undefined {
  if (!claimsVersion(body) || headers.get("mcp-method") !== "tools/call" || headers.get("mcp-protocol-version") !== "2026-07-28")
    return undefined;
  const { id, method, params } = body as { id?: unknown; method?: unknown; params: { name?: unknown; arguments?: unknown } };
  if (method !== "tools/call" || !isId(id) || typeof params.name !== "string") return undefined;
  const schema = scopeOf().find(params.name)?.inputSchema;
  const mismatch = schema && checkParamHeaders(schema, params.arguments, headers);
  return mismatch && refuseMismatch(id, mismatch);
}

/** Carries the principal to the handlers. The token itself goes no further (R-MC-7). */
function authInfoFor(principal: Principal, request: Request, session: string): AuthInfo {
  return { token: "", clientId: principal.actor.id, scopes: [], extra: { principal, request, session } };
}

function callerOf(ctx: ServerContext): Caller {
  const extra = (ctx.http?.authInfo?.extra ?? {}) as { principal?: Principal; request?: Request; session?: string };
  const { principal, request, session } = extra;
  if (!principal || session === undefined) throw new Error("A request reached a handler without a principal.");
  return { principal, request, session: ctx.sessionId === undefined ? session : sessionOf(ctx.sessionId) };
}

interface Asked {
  readonly principal: Principal;
  readonly request: Request;
  readonly body: unknown;
}

/** Before a handler needs it: most requests belong to no session of a client, and have one of the caller's own. */
function findSession({ engine }: McpDoorOptions, { principal, request, body }: Asked): string | Promise<string> {
  const id = request.headers.get("mcp-session-id");
  if (id !== null && !claimsVersion(body)) return sessionOf(id);
  return engine.openSession(principal, `mcp-${principalKey(principal).slice(0, 16)}`);
}

/**
 * The session of the log for one of MCP 2025. A hash, because the log keeps its id and must not keep what opens it; nobody can guess it, as nobody
 * can guess the id that it is made of.
 */
function sessionOf(clientSession: string): string {
  return `mcp-${sha256(clientSession).slice(0, 32)}`;
}

/** Tells both eras. */
function changeSink({ notify }: McpHttpHandler, sessions: Sessions): ChangeSink {
  return {
    toolsChanged() {
      notify.toolsChanged();
      sessions.notify((server) => server.sendToolListChanged());
    },
    promptsChanged() {
      notify.promptsChanged();
      sessions.notify((server) => server.sendPromptListChanged());
    },
    resourcesChanged() {
      notify.resourcesChanged();
      sessions.notify((server) => server.sendResourceListChanged());
    },
    // The server of a session tells its own subscriptions.
    resourceUpdated: (uri) => notify.resourceUpdated(uri),
  };
}

/** Milliseconds of silence until a stream begins, and between its signs of life: proxies give up after a minute (nginx, `proxy_read_timeout`). */
const silentMs = 15_000;

const signOfLife = new TextEncoder().encode(": keepalive\n\n");

/**
 * The answer, as it is when it comes soon. When it takes long and the client reads streams, one begins before it with comments that keep the
 * connection, and brings it in the end (MCP 2026-07-28, Streamable HTTP). `answer` must not reject.
 */
function streamLate(request: Request, answer: Promise<Response>, clock: Clock): Promise<Response> {
  if (request.method !== "POST" || !request.headers.get("accept")?.includes("text/event-stream")) return answer;
  return new Promise((resolve) => {
    const stop = clock.after(silentMs, () => resolve(streamOf(answer, clock)));
    void answer.then((soon) => {
      stop();
      resolve(soon);
    });
  });
}

function streamOf(answer: Promise<Response>, clock: Clock): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void bring(answer, writable, clock);
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };
  return new Response(readable, { headers });
}

async function bring(answer: Promise<Response>, stream: WritableStream<Uint8Array>, clock: Clock): Promise<void> {
  const writer = stream.getWriter();
  let stop = () => {};
  const live = () => {
    // Nobody waits for a client that is slow, or gone.
    writer.write(signOfLife).catch(() => {});
    stop = clock.after(silentMs, live);
  };
  live();
  writer.closed.catch(() => stop());
  const late = await answer;
  stop();
  writer.releaseLock();
  // A client that has gone ends this, and with it what it asked for.
  await (await streamIn(late)).pipeTo(stream).catch(() => {});
}

async function streamIn(answer: Response): Promise<ReadableStream<Uint8Array>> {
  const { body, headers } = answer;
  if (body && headers.get("content-type")?.startsWith("text/event-stream")) return body;
  // JSON has no line breaks but between tokens, where none are needed.
  const data = (await answer.text()).replace(/[\r\n]+/g, " ");
  return new Blob([`event: message\ndata: ${data}\n\n`]).stream();
}
