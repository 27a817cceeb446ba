import {
  isInitializeRequest,
  type RequestId,
  type Server,
  type WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Logger } from "@toolwright/engine";
import { type ClientSession, type ClientSessions, type Clock, type Ids, sha256 } from "@toolwright/engine/ports";
import { type Owner, takenFor } from "../../http/owners.ts";
import { AttendedCalls } from "./attended-calls.ts";
import { followBody } from "./follow-body.ts";
import { refuse, refuseTaken } from "./refusal.ts";
import { SessionTransport } from "./session-transport.ts";

/** Its owner is the principal that opened it: a session id is not a credential. */
interface Session extends Owner {
  readonly transport: SessionTransport;
  readonly server: Server;
  readonly calls: AttendedCalls;
  /** Requests whose answers are not out yet, streams among them. */
  open: number;
  lastUsed: number;
  /** When its last use was put down where other processes see it. */
  keptUse: number;
  /** Settles when no other process finds it any more; undefined while it lives. */
  forgotten?: Promise<void>;
}

interface SessionRequest {
  readonly request: Request;
  readonly body: unknown;
  readonly caller: Owner;
  readonly authInfo: Parameters<WebStandardStreamableHTTPServerTransport["handleRequest"]>[1];
}

interface SessionParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly ttlMs: number;
  /** Milliseconds that a client has to come back for an answer before its call is cancelled. */
  readonly goneMs: number;
  readonly max: number;
  readonly kept: ClientSessions;
  readonly build: () => Server;
  /** Hears of each session that is over for good. */
  readonly onEnd: (id: string, caller: Owner) => Promise<void>;
}

/** Bytes of what opens a session that are kept for another process. */
const mostOpeningBytes = 16 * 1024;
const longestId = 256;
/** A part of its life after which the use of a session is put down again. */
const keptUseParts = 8;

const unfit =
  "The initialize request does not fit. It needs protocolVersion, capabilities, and clientInfo with a name and a version, in params.";
const unknownSession = () => refuse(404, -32001, "There is no such session. Start one with an initialize request.");

/** Sessions of 2025-era clients, which another process goes on with when this one has ended. Foreign, ended and unknown ones answer alike (R-MC-5). */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  /** Sessions that are being taken up, so that requests side by side take up one. */
  readonly #reopening = new Map<string, Promise<Session | Response>>();
  readonly #parts: SessionParts;
  #stopTimer: (() => void) | undefined;
  #closing = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async handle(asked: SessionRequest): Promise<Response> {
    const { request, body, caller } = asked;
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      if (request.method !== "POST") return refuse(405, -32600, "Only POST is served without a session.", { Allow: "POST" });
      if ((body as { readonly method?: unknown } | undefined)?.method === "initialize" && !isInitializeRequest(body))
        return refuse(400, -32602, unfit);
      if (!isInitializeRequest(body)) return refuse(400, -32600, "An Mcp-Session-Id header is needed. Start with an initialize request.");
      return this.#open(asked);
    }
    const session = this.#sessions.get(id) ?? (await this.#takeUp(id, caller));
    if (session instanceof Response) return session;
    if (session.owner !== caller.owner) return unknownSession();
    const answer = await this.#serve(id, session, asked);
    await session.forgotten;
    return answer;
  }

  notify(send: (server: Server) => Promise<void>): void {
    for (const { server } of this.#sessions.values()) {
      send(server).catch((error: unknown) => this.#parts.logger.log("debug", "A session could not be notified.", { error: String(error) }));
    }
  }

  /** Sessions stay open for the process that comes after this one. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stopTimer?.();
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
  }

  async #open(asked: SessionRequest): Promise<Response> {
    const full = this.#makeRoom(asked.caller);
    if (full) return full;
    const id = this.#parts.ids.next("mcp");
    const session = this.#add(id, asked.caller);
    await session.server.connect(session.transport);
    const answer = await this.#serve(id, session, asked);
    if (session.transport.sessionId === undefined) this.#end(id, session);
    else await this.#keep(id, session, asked.body);
    return answer;
  }

  /** Goes on with a session that another process opened; the answer that refuses when nobody did, or somebody else. */
  async #takeUp(id: string, caller: Owner): Promise<Session | Response> {
    if (id.length > longestId) return unknownSession();
    const known = this.#reopening.get(id);
    if (known) return known;
    const reopening = this.#reopen(id, caller).finally(() => this.#reopening.delete(id));
    this.#reopening.set(id, reopening);
    return reopening;
  }

  async #reopen(id: string, caller: Owner): Promise<Session | Response> {
    const { kept, clock, ttlMs } = this.#parts;
    const found = await kept.find(nameOf(id, caller));
    if (found?.owner !== caller.owner || found.usedAt + ttlMs <= clock.now()) return unknownSession();
    const full = this.#makeRoom(caller);
    if (full) return full;
    const session = this.#add(id, caller);
    session.keptUse = found.usedAt;
    await reopen(session, found.opening);
    return session;
  }

  #add(id: string, caller: Owner): Session {
    const { ids, clock, build, goneMs } = this.#parts;
    const server = build();
    const calls = new AttendedCalls({ clock, graceMs: goneMs, onLeft: (request) => this.#abandon(session, request) });
    const transport = new SessionTransport({
      id,
      run: ids.next("run"),
      revision: () => server.getNegotiatedProtocolVersion(),
      onAnswer: (request) => calls.end(request),
    });
    const now = clock.now();
    const session: Session = { ...caller, transport, server, calls, open: 0, lastUsed: now, keptUse: now };
    // Before anything is awaited, so that requests side by side cannot open more than there is room for.
    this.#sessions.set(id, session);
    this.#schedule();
    const before = server.onclose;
    server.onclose = () => {
      this.#sessions.delete(id);
      calls.close();
      if (!this.#closing) session.forgotten ??= this.#forget(id, session);
      before?.();
    };
    return session;
  }

  /** Ends the asker's own session that was idle for longest when there is no place for another; the answer that refuses when there is none. */
  #makeRoom(asker: Owner): Response | undefined {
    const taken = takenFor(asker, this.#sessions.values(), this.#parts.max);
    if (!taken) return undefined;
    const idle = [...this.#sessions].find(([, { owner, open }]) => owner === asker.owner && open === 0);
    if (!idle) return refuseTaken(taken, "sessions");
    this.#end(...idle);
    return undefined;
  }

  async #serve(id: string, session: Session, { request, body, authInfo }: SessionRequest): Promise<Response> {
    session.open++;
    this.#touch(id, session);
    const leave = resumes(request) ? await attendAgain(session, request) : attend(session, body);
    const answering = session.transport.handleRequest(request, { ...authInfo, ...(body !== undefined && { parsedBody: body }) });
    const { answer } = await followBody(answering, () => {
      leave();
      session.open--;
      this.#touch(id, session);
    });
    return answer;
  }

  /** The map's order is the order of use. */
  #touch(id: string, session: Session): void {
    const { clock, kept, ttlMs } = this.#parts;
    session.lastUsed = clock.now();
    if (!this.#sessions.delete(id)) return;
    this.#sessions.set(id, session);
    if (session.lastUsed - session.keptUse < ttlMs / keptUseParts) return;
    session.keptUse = session.lastUsed;
    kept
      .touch(nameOf(id, session), session.lastUsed)
      .catch((error: unknown) => this.#warn("The use of a session could not be put down.", error));
  }

  #schedule(): void {
    this.#stopTimer ??= this.#parts.clock.after(this.#parts.ttlMs / 2, () => {
      this.#stopTimer = undefined;
      this.#endIdle();
      if (this.#sessions.size > 0) this.#schedule();
    });
  }

  #endIdle(): void {
    const limit = this.#parts.clock.now() - this.#parts.ttlMs;
    for (const [id, session] of this.#sessions) {
      if (session.lastUsed <= limit && session.open === 0) this.#end(id, session);
    }
  }

  #end(id: string, { server }: Session): void {
    this.#sessions.delete(id);
    server.close().catch((error: unknown) => this.#warn("A session could not be closed.", error));
  }

  /** Without it the session still serves, but no longer than this process. */
  async #keep(id: string, session: Session, body: unknown): Promise<void> {
    const opening = JSON.stringify((body as { readonly params?: unknown }).params ?? {});
    if (Buffer.byteLength(opening) > mostOpeningBytes) return;
    const kept: ClientSession = { ...nameOf(id, session), owner: session.owner, opening, usedAt: session.keptUse };
    await this.#parts.kept.put(kept).catch((error: unknown) => this.#warn("A session could not be kept for another process.", error));
  }

  async #forget(id: string, session: Session): Promise<void> {
    const { kept, onEnd } = this.#parts;
    // Nobody waits for what has to be stopped.
    onEnd(id, session).catch((error: unknown) => this.#warn("Something of a session that ended is left.", error));
    await kept.remove(nameOf(id, session)).catch((error: unknown) => this.#warn("A session that ended could not be removed.", error));
  }

  #abandon({ transport }: Session, request: RequestId): void {
    const { goneMs, logger } = this.#parts;
    const reason = `The connection was gone for ${goneMs / 1000} s, so the call was cancelled.`;
    transport.abandon(request, reason).catch((error: unknown) => this.#warn("A call without a client could not be cancelled.", error));
    logger.log("info", "A client went away, and its call was cancelled.", { request: String(request) });
  }

  #warn(message: string, error: unknown): void {
    this.#parts.logger.log("warn", message, { error: String(error) });
  }
}

function resumes({ method, headers }: Request): boolean {
  return method === "GET" && headers.has("last-event-id");
}

/** The request that this is the stream of, if it is one; returns how to say that the stream ended. */
function attend({ calls }: Session, body: unknown): () => void {
  const { id, method } = (body ?? {}) as { readonly id?: unknown; readonly method?: unknown };
  if (method === undefined || (typeof id !== "string" && typeof id !== "number")) return () => {};
  calls.begin(id);
  return calls.attend(id);
}

/** Attends the requests whose stream a GET takes up again. */
async function attendAgain({ calls, transport }: Session, request: Request): Promise<() => void> {
  const stream = await transport.resumedBy(request);
  if (stream === undefined) return () => {};
  const leaving = calls.ids.filter((id) => transport.streamOf(id) === stream).map((id) => calls.attend(id));
  return () => {
    for (const leave of leaving) leave();
  };
}

function nameOf(id: string, { tenant }: Owner): { readonly tenant: string; readonly id: string } {
  return { tenant, id: sha256(id) };
}

/** The handshake of a session that this process did not see, from what its client sent then: nobody else tells what the client can do. */
export async function reopen(
  { server, transport }: { readonly server: Server; readonly transport: SessionTransport },
  opening: string,
): Promise<void> {
  await server.connect(transport);
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const request = new Request("http://localhost/", { method: "POST", headers });
  const parsedBody = { jsonrpc: "2.0", id: "reopen", method: "initialize", params: JSON.parse(opening) };
  await (await transport.handleRequest(request, { parsedBody })).text();
  transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/initialized" });
}
