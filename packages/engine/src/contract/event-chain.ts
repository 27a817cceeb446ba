import { digest, sha256 } from "./digest.ts";
import type { SessionEvent, StoredEvent } from "./events.ts";

/** What of an event does not depend on its place: SHA-256 of its canonical JSON. */
export function chainDigest(event: SessionEvent): string {
  return digest(event);
}

/** The hash that links an event to the one before it: SHA-256 of the previous hash, the sequence and the event's digest, one a line. */
export function chainLink(previous: string, sequence: number, digest: string): string {
  return sha256(`${previous}\n${sequence}\n${digest}`);
}

/** The link of an event whose digest is not known yet. */
export function chainHash(event: SessionEvent, sequence: number, previous: string): string {
  return chainLink(previous, sequence, chainDigest(event));
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
