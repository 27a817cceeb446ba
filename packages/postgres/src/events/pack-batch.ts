import type { SessionEvent } from "@toolwright/engine";
import { type ChainEnd, chainDigest, chainLink, countUsage, isCallEvent } from "@toolwright/engine/ports";
import type { ChainHeads } from "./chain-heads.ts";
import { findInFlight } from "./find-in-flight.ts";

/** Events of one session in a batch, in the order in which they come. */
interface SessionPart {
  readonly place: number;
  readonly head: ChainEnd;
  first: number;
  last: number;
  rank: number;
  /** Place of the last event so far, from 1; 0 before the first. */
  end: number;
  hash: string;
}

/** Everything that the database is told of one batch, which is of one tenant; worked out once, as it may have to be told again. */
export function packBatch(events: readonly SessionEvent[], heads: ChainHeads, usageShard: number) {
  const ofCalls = events.filter(isCallEvent);
  return {
    ...toChains(events, heads),
    facts: toFacts(events),
    ats: events.map(({ at }) => at),
    calls: events.map(({ callId }) => callId ?? null),
    datas: events.map(({ data }) => JSON.stringify(data)),
    inFlight: findInFlight(ofCalls),
    usage: countUsage(ofCalls, usageShard),
  };
}

export type PackedBatch = ReturnType<typeof packBatch>;

/** The sessions of a batch, each once, and of each event its place in the chain of its own. */
function toChains(events: readonly SessionEvent[], heads: ChainHeads) {
  const parts = new Map<string, SessionPart>();
  const links = events.map((event, index) => {
    const { tenant, session, at } = event;
    let part = parts.get(session);
    if (!part) {
      const head = heads.find(tenant, session);
      part = { place: parts.size + 1, head, first: at, last: at, rank: 0, end: 0, hash: head.hash };
      parts.set(session, part);
    }
    const before = part.end;
    const digest = chainDigest(event);
    part.first = Math.min(part.first, at);
    part.last = Math.max(part.last, at);
    part.rank += 1;
    part.end = index + 1;
    part.hash = chainLink(part.hash, part.head.sequence + part.rank, digest);
    return { place: part.place, rank: part.rank, before, digest, hash: part.hash };
  });
  const sessions = [...parts].map(([name, { head, first, last, end, rank, hash }]) => ({
    name,
    head,
    first,
    last,
    end,
    ending: { sequence: head.sequence + rank, hash },
  }));
  return { sessions, links };
}

/** What many events of a batch have in common, each such set once; and for each event which of them is its, from 1. */
function toFacts(events: readonly SessionEvent[]) {
  const places = new Map<string, number>();
  const sets: SessionEvent[] = [];
  const ofEvents = events.map((event) => {
    const { type, tool, actor, agent, door, source } = event;
    const key = JSON.stringify([type, tool, actor.kind, actor.id, agent, door, source]);
    const place = places.get(key) ?? sets.push(event);
    places.set(key, place);
    return place;
  });
  return { sets, ofEvents };
}
