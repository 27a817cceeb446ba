import type { StoredEvent } from "../contract/events.ts";

/** Events, once nothing that is written from then on is missed. `follow` is given what it calls back when that is so. */
export async function fromReady(follow: (onReady: () => void) => AsyncIterable<StoredEvent>): Promise<AsyncIterable<StoredEvent>> {
  const ready = Promise.withResolvers<void>();
  const events = follow(ready.resolve)[Symbol.asyncIterator]();
  const first = events.next();
  // One that fails before it is ready never calls back.
  await Promise.race([ready.promise, first]);
  return readOn(events, first);
}

async function* readOn(events: AsyncIterator<StoredEvent>, first: Promise<IteratorResult<StoredEvent>>): AsyncGenerator<StoredEvent> {
  try {
    for (let result = await first; result.done !== true; result = await events.next()) yield result.value;
  } finally {
    // Not awaited: it waits for the next event where one is being waited for.
    void events.return?.();
  }
}
