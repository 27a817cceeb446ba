import { type Actor, type CallEvent, chainDigest, type Door, type EventType, type Source, type StoredEvent } from "@toolwright/engine";
import { storableText } from "../database/storable-text.ts";

/** What a row of `events` holds, as the driver gives it. */
export interface EventRow {
  readonly tenant: string;
  readonly session: string;
  readonly sequence: number;
  readonly at: Date;
  readonly type: string;
  readonly call_id: string;
  readonly tool: string;
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly agent: string | null;
  readonly door: string;
  readonly source: string | null;
  readonly data: CallEvent["data"];
  readonly previous: string;
  readonly hash: string;
}

/** The same event with texts that the database can hold: it knows no NUL and no lone surrogate outside of JSON. */
export function toStorable(event: CallEvent): CallEvent {
  return {
    ...event,
    session: storableText(event.session),
    callId: storableText(event.callId),
    tool: storableText(event.tool),
    actor: { kind: event.actor.kind, id: storableText(event.actor.id) },
    ...(event.agent !== undefined && { agent: storableText(event.agent) }),
  };
}

/** The columns of one batch, in the order of `toolwright.write_events`. */
export function toColumns(events: readonly CallEvent[]) {
  const column = <Value>(read: (event: CallEvent) => Value) => events.map(read);
  return [
    column(chainDigest),
    column(({ at }) => toTime(at)),
    column(({ type }) => type),
    column(({ callId }) => callId),
    column(({ tool }) => tool),
    column(({ actor }) => actor.kind),
    column(({ actor }) => actor.id),
    column(({ agent }) => agent ?? null),
    column(({ door }) => door),
    column(({ source }) => source ?? null),
    column(({ data }) => JSON.stringify(data)),
  ] as const;
}

/** The sessions of one batch, each once, with the times of its first and its last event in it; and for each event which of them is its, from 1. */
export function toSessions(events: readonly CallEvent[]) {
  const parts = new Map<string, { readonly place: number; first: number; last: number }>();
  const places = events.map(({ session, at }) => {
    const part = parts.get(session) ?? { place: parts.size + 1, first: at, last: at };
    parts.set(session, part);
    part.first = Math.min(part.first, at);
    part.last = Math.max(part.last, at);
    return part.place;
  });
  const times = [...parts.values()];
  return {
    names: [...parts.keys()],
    firsts: times.map(({ first }) => toTime(first)),
    lasts: times.map(({ last }) => toTime(last)),
    places,
  };
}

const toTime = (at: number) => new Date(at).toISOString();

export function toStoredEvent(row: EventRow): StoredEvent {
  const { sequence, previous, hash } = row;
  const actor: Actor = { kind: row.actor_kind as Actor["kind"], id: row.actor_id };
  const event: CallEvent = {
    type: row.type as EventType,
    at: row.at.getTime(),
    session: row.session,
    tenant: row.tenant,
    actor,
    ...(row.agent !== null && { agent: row.agent }),
    door: row.door as Door,
    ...(row.source !== null && { source: row.source as Source }),
    callId: row.call_id,
    tool: row.tool,
    data: row.data,
  };
  return { event, sequence, previous, hash };
}
