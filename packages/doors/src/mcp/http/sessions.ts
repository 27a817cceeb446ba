import { isInitializeRequest, type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Clock, Ids, Logger } from "@toolwright/engine";
import { type Holder, refuseTaken, takenFor } from "../places.ts";
import { followBody } from "./follow-body.ts";
import { refuse } from "./refusal.ts";
import { createSessionEvents } from "./session-events.ts";

/** Its owner is the principal that opened it: a session id is not a credential. */
interface Session extends Holder {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  /** Requests whose answers are not out yet, streams among them. */
  open: number;
  lastUsed: number;
}

export interface SessionRequest {
  readonly request: Request;
  readonly body: unknown;
  readonly holder: Holder;
  readonly authInfo: Parameters<WebStandardStreamableHTTPServerTransport["handleRequest"]>[1];
}

interface SessionParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly ttlMs: number;
  readonly max: number;
  readonly build: () => Server;
}

const keptEvents = 256;
const retryMs = 1000;

/** Sessions of 2025-era clients. Foreign, ended and unknown ones answer alike (R-MC-5). */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #parts: SessionParts;
  #stopTimer: (() => void) | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async handle(asked: SessionRequest): Promise<Response> {
    const { request, body, holder } = asked;
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      if (request.method !== "POST") return refuse(405, -32600, "Only POST is served without a session.", { Allow: "POST" });
      if (!isInitializeRequest(body)) return refuse(400, -32600, "An Mcp-Session-Id header is needed. Start with an initialize request.");
      return this.#open(asked);
    }
    const session = this.#sessions.get(id);
    if (session?.owner !== holder.owner) return refuse(404, -32001, "There is no such session. Start one with an initialize request.");
    return this.#serve(id, session, asked);
  }

  notify(send: (server: Server) => Promise<void>): void {
    for (const { server } of this.#sessions.values()) {
      send(server).catch((error: unknown) => this.#parts.logger.log("debug", "A session could not be notified.", { error: String(error) }));
    }
  }

  async close(): Promise<void> {
    this.#stopTimer?.();
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
  }

  async #open(asked: SessionRequest): Promise<Response> {
    const { ids, clock, build } = this.#parts;
    const full = this.#makeRoom(asked.holder);
    if (full) return full;
    const id = ids.next("mcp");
    const server = build();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: createSessionEvents(keptEvents),
      retryInterval: retryMs,
    });
    const session: Session = { ...asked.holder, transport, server, open: 0, lastUsed: clock.now() };
    // Before anything is awaited, so that requests side by side cannot open more than there is room for.
    this.#sessions.set(id, session);
    this.#schedule();
    const before = server.onclose;
    server.onclose = () => {
      this.#sessions.delete(id);
      before?.();
    };
    await server.connect(transport);
    const answer = await this.#serve(id, session, asked);
    if (transport.sessionId === undefined) this.#end(id, session);
    return answer;
  }

  /** Ends the asker's own session that was idle for longest when there is no place for another; the answer that refuses when there is none. */
  #makeRoom(asker: Holder): Response | undefined {
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
    const answering = session.transport.handleRequest(request, { ...authInfo, ...(body !== undefined && { parsedBody: body }) });
    const { answer } = await followBody(answering, () => {
      session.open--;
      this.#touch(id, session);
    });
    return answer;
  }

  /** The map's order is the order of use. */
  #touch(id: string, session: Session): void {
    session.lastUsed = this.#parts.clock.now();
    if (this.#sessions.delete(id)) this.#sessions.set(id, session);
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
    server.close().catch((error: unknown) => this.#parts.logger.log("warn", "A session could not be closed.", { error: String(error) }));
  }
}
