import { chainDigest, chainLink } from "./event-chain.ts";
import type { StoredEvent } from "./events.ts";

/** Where a chain goes on: after this event. */
export interface ChainEnd {
  readonly sequence: number;
  readonly hash: string;
}

/** Before the first event. */
export const chainStart: ChainEnd = { sequence: 0, hash: "" };

/** What was done to a log, as far as it can be told. */
export const faultKinds = [
  /** The event is not the one that was written here. */
  "edited",
  /** Events are missing before this one. */
  "removed",
  /** The event was written at another place. */
  "moved",
  /** The event is whole but does not follow from the one before it: what comes before was written anew. */
  "unlinked",
  /** The newest events are missing. */
  "truncated",
  /** There are events that the session does not know. */
  "added",
  /** The chain is whole but is not the one that was anchored: it was written anew. */
  "rewritten",
  /** An anchored session is gone as a whole. */
  "session_removed",
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly sequence: number;
  readonly message: string;
}

/** Faults of a run of events that should follow `end`, and where it ends. At most `most` are told. */
export function checkChain(
  events: readonly StoredEvent[],
  end: ChainEnd,
  most = 20,
): { readonly faults: readonly Fault[]; readonly end: ChainEnd } {
  const faults: Fault[] = [];
  let before: ChainEnd & { readonly faulty?: boolean } = end;
  for (const stored of events) {
    const found = checkLink(stored, before, events);
    if (faults.length < most) faults.push(...found);
    before = { sequence: stored.sequence, hash: stored.hash, faulty: found.length > 0 };
  }
  return { faults, end: { sequence: before.sequence, hash: before.hash } };
}

function checkLink(
  { event, sequence, previous, hash }: StoredEvent,
  before: ChainEnd & { readonly faulty?: boolean },
  events: readonly StoredEvent[],
): readonly Fault[] {
  const digest = chainDigest(event);
  const isOf = (place: number) => chainLink(previous, place, digest) === hash;
  const gap = sequence - before.sequence - 1;
  const missing = gap === 1 ? `Event ${sequence - 1} is missing.` : `Events ${before.sequence + 1} to ${sequence - 1} are missing.`;
  const removed: readonly Fault[] = gap > 0 ? [{ kind: "removed", sequence: before.sequence + 1, message: missing }] : [];
  if (!isOf(sequence)) {
    const place = events.find((other) => isOf(other.sequence))?.sequence;
    const fault: Fault =
      place === undefined
        ? { kind: "edited", sequence, message: `Event ${sequence} was changed.` }
        : { kind: "moved", sequence, message: `Event ${sequence} was written as event ${place}.` };
    return [...removed, fault];
  }
  // What follows one that is told already says nothing new.
  if (gap > 0 || before.faulty || previous === before.hash) return removed;
  return [{ kind: "unlinked", sequence, message: `Event ${sequence} does not follow from the one before it, which was rewritten.` }];
}
