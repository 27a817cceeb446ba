import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
}

interface SessionEventsOptions {
  /** Events that are kept; the oldest are dropped. */
  readonly max: number;
  /** Names this run of the session in its ids: another run of the same session begins to count anew. */
  readonly run: string;
  /** What the ids of this stream begin with; undefined when its events are neither kept nor named. */
  readonly prefix: (stream: string) => string | undefined;
}

/** Events of one 2025-era session that a client may fetch again after its stream broke (2025-11-25, "Resumability"). */
export function createSessionEvents({
  max,
  run,
  prefix,
}: SessionEventsOptions): EventStore & Required<Pick<EventStore, "getStreamIdForEventId">> {
  const events: StoredEvent[] = [];
  let sequence = 0;
  const find = (id: string) => events.findIndex((event) => event.id === id);
  return {
    async storeEvent(stream, message) {
      const kind = prefix(stream);
      // The transport writes no id for an empty one.
      if (kind === undefined) return "";
      const id = `${kind}-${run}-${++sequence}`;
      events.push({ id, stream, message });
      if (events.length > max) events.shift();
      return id;
    },
    getStreamIdForEventId: async (id) => events[find(id)]?.stream,
    async replayEventsAfter(id, { send }) {
      const at = find(id);
      const last = events[at];
      if (!last) throw new Error("The event is not kept any more.");
      for (const event of events.slice(at + 1)) {
        // An empty message only marked the start of its stream.
        if (event.stream === last.stream && "jsonrpc" in event.message) await send(event.id, event.message);
      }
      return last.stream;
    },
  };
}
