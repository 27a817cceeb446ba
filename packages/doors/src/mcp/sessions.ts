import { isInitializeRequest, type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Clock, Ids, Logger } from "@toolwright/engine";
import { refuse } from "./refusal.ts";
import { createSessionEvents } from "./session-events.ts";

interface Session {
  /** Key of the principal that opened it: a session id is not a credential. */
  readonly owner: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  lastUsed: number;
}

export interface SessionRequest {
  readonly request: Request;
  readonly body: unknown;
  readonly owner: string;
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
    const { request, body, owner } = asked;
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      if (request.method !== "POST") return refuse(405, -32600, "Only POST is served without a session.", { Allow: "POST" });
      if (!isInitializeRequest(body)) return refuse(400, -32600, "An Mcp-Session-Id header is needed. Start with an initialize request.");
      return this.#open(asked);
    }
    const session = this.#sessions.get(id);
    if (session?.owner !== owner) return refuse(404, -32001, "There is no such session. Start one with an initialize request.");
    this.#touch(id, session);
    return this.#serve(session, asked);
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
    const { ids, clock, max, build } = this.#parts;
    const oldest = this.#sessions.size >= max ? this.#sessions.keys().next().value : undefined;
    if (oldest !== undefined) await this.#sessions.get(oldest)?.server.close();
    const server = build();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => ids.next("mcp"),
      onsessioninitialized: (id) => {
        this.#sessions.set(id, session);
        this.#schedule();
      },
      eventStore: createSessionEvents(keptEvents),
      retryInterval: retryMs,
    });
    const session: Session = { owner: asked.owner, transport, server, lastUsed: clock.now() };
    const before = server.onclose;
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
      before?.();
    };
    await server.connect(transport);
    return this.#serve(session, asked);
  }

  #serve({ transport }: Session, { request, body, authInfo }: SessionRequest): Promise<Response> {
    return transport.handleRequest(request, { ...authInfo, ...(body !== undefined && { parsedBody: body }) });
  }

  /** The map's order is the order of use. */
  #touch(id: string, session: Session): void {
    session.lastUsed = this.#parts.clock.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
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
    for (const { lastUsed, server } of this.#sessions.values()) {
      if (lastUsed > limit) return;
      server.close().catch((error: unknown) => this.#parts.logger.log("warn", "A session could not be closed.", { error: String(error) }));
    }
  }
}
