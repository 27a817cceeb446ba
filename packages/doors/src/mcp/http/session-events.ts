import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

interface StoredEvent {
  readonly sequence: number;
  readonly stream: string;
  readonly message: JSONRPCMessage;
}

/** Events of one 2025-era session that a client may fetch again after its stream broke (2025-11-25, "Resumability"). The oldest are dropped. */
export function createSessionEvents(max: number): EventStore {
  const events: StoredEvent[] = [];
  let sequence = 0;
  const find = (id: string) => events.find((event) => String(event.sequence) === id);
  return {
    async storeEvent(stream, message) {
      events.push({ sequence: ++sequence, stream, message });
      if (events.length > max) events.shift();
      return String(sequence);
    },
    getStreamIdForEventId: async (id) => find(id)?.stream,
    async replayEventsAfter(id, { send }) {
      const last = find(id);
      if (!last) throw new Error("The event is not kept any more.");
      for (const event of events) {
        // An empty message only marked the start of its stream.
        if (event.stream === last.stream && event.sequence > last.sequence && "jsonrpc" in event.message)
          await send(String(event.sequence), event.message);
      }
      return last.stream;
    },
  };
}
