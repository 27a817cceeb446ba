import { digest } from "./digest.ts";
import type { CallEvent, StoredEvent } from "./events.ts";

/** The hash that links an event to the one before it: SHA-256 over the canonical JSON of [previous, sequence, event]. */
export function chainHash(event: CallEvent, sequence: number, previous: string): string {
  return digest([previous, sequence, event]);
}

/** The sequence of the first event whose hash or link does not hold, or undefined for a sound chain. */
export function findBrokenLink(events: readonly StoredEvent[]): number | undefined {
  let before: StoredEvent | undefined;
  for (const stored of events) {
    const { event, sequence, previous, hash } = stored;
    const linked = before ? previous === before.hash && sequence === before.sequence + 1 : true;
    if (!linked || chainHash(event, sequence, previous) !== hash) return sequence;
    before = stored;
  }
  return undefined;
}
