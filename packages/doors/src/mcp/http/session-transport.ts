import {
  type JSONRPCMessage,
  type RequestId,
  type TransportSendOptions,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createSessionEvents } from "./session-events.ts";

/** The first revision in which the stream of a POST may be taken up again ("Resumability"): clients of older ones take its event ids amiss. */
const resumesPosts = "2025-11-25";
/** The stream that a client opens with GET, in the words of the protocol layer. */
const standaloneStream = "_GET_stream";

/** What the ids of its events begin with, in every run of a session. */
const standalonePrefix = "news";
const requestPrefix = "call";

/** Whether a client takes a type: it names it, or a range that holds it, with any weight but none (RFC 9110 section 12.5.1). */
function takes(accept: string, type: string): boolean {
  const ranges = accept.split(",").map((range) => range.split(";").map((part) => part.trim().toLowerCase()));
  const [main] = type.split("/");
  const isWanted = ([, ...parameters]: readonly string[]) => !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each));
  for (const range of [type, `${main}/*`, "*/*"]) {
    const named = ranges.find(([name]) => name === range);
    if (named) return isWanted(named);
  }
  return false;
}

const keptEvents = 256;
const retryMs = 1000;

interface SessionTransportOptions {
  readonly id: string;
  /** Names this run of the session among all. */
  readonly run: string;
  /** The revision that client and server agreed on; undefined before that. */
  readonly revision: () => string | undefined;
  /** Hears of each request that is answered. */
  readonly onAnswer: (id: RequestId) => void;
}

/** The streams of one 2025-era session. */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #events: ReturnType<typeof createSessionEvents>;
  readonly #onAnswer: SessionTransportOptions["onAnswer"];

  constructor({ id, run, revision, onAnswer }: SessionTransportOptions) {
    const events = createSessionEvents({
      max: keptEvents,
      run,
      prefix(stream) {
        if (stream === standaloneStream) return standalonePrefix;
        return (revision() ?? resumesPosts) >= resumesPosts ? requestPrefix : undefined;
      },
    });
    super({ sessionIdGenerator: () => id, eventStore: events, retryInterval: retryMs });
    this.#events = events;
    this.#onAnswer = onAnswer;
  }

  override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!("method" in message) && message.id !== undefined) this.#onAnswer(message.id);
    await super.send(message, options);
  }

  /** The stream of a request that is not answered yet. */
  streamOf(id: RequestId): string | undefined {
    // biome-ignore lint/complexity/useLiteralKeys: the protocol layer says it nowhere else, and it is private there.
    return this["_requestToStreamMapping"].get(id);
  }

  /** The stream that a GET takes up again; undefined when it opens one of its own. */
  async resumedBy({ headers }: Request): Promise<string | undefined> {
    const event = headers.get("last-event-id");
    return event === null ? undefined : this.#events.getStreamIdForEventId(event);
  }

  /**
   * A client that names no type, or ranges of types, takes both that are needed; the protocol layer looks for their names. A GET that
   * names an event which another run of the session sent, or which was dropped, opens the stream of news anew.
   */
  override async handleRequest(request: Request, options?: Parameters<WebStandardStreamableHTTPServerTransport["handleRequest"]>[1]) {
    const headers = new Headers(request.headers);
    const accept = headers.get("accept") ?? "*/*";
    if (takes(accept, "application/json") && takes(accept, "text/event-stream"))
      headers.set("accept", "application/json, text/event-stream");
    const isOfNews = headers.get("last-event-id")?.startsWith(`${standalonePrefix}-`) ?? false;
    if (isOfNews && (await this.resumedBy(request)) === undefined) headers.delete("last-event-id");
    // The body was read before.
    return super.handleRequest(new Request(request.url, { method: request.method, headers, signal: request.signal }), options);
  }

  /** Ends a request in its client's place, and says so to a client that asks for its stream after all. */
  async abandon(id: RequestId, reason: string): Promise<void> {
    this.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } });
    await this.send({ jsonrpc: "2.0", id, error: { code: -32000, message: reason } });
  }
}
