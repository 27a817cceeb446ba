import type { Actor, CallEvent, Door, SessionEvent, Source, StoredEvent } from "@toolwright/engine";
import { storableText } from "../database/storable-text.ts";

/** What a row of `events` holds, as the driver gives it. */
export interface EventRow {
  readonly tenant: string;
  readonly session: string;
  readonly sequence: number;
  readonly at: Date;
  readonly type: string;
  readonly call_id: string | null;
  readonly tool: string | null;
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly agent: string | null;
  readonly door: string;
  readonly source: string | null;
  readonly data: SessionEvent["data"];
  readonly previous: string;
  readonly hash: string;
}

/** Makes the texts of an event storable: PostgreSQL holds no NUL and no lone surrogate outside of JSON. */
export function toStorable(event: SessionEvent): SessionEvent {
  return {
    ...event,
    session: storableText(event.session),
    actor: { kind: event.actor.kind, id: storableText(event.actor.id) },
    ...(event.agent !== undefined && { agent: storableText(event.agent) }),
    ...(event.callId !== undefined && { callId: storableText(event.callId) }),
    ...(event.tool !== undefined && { tool: storableText(event.tool) }),
  };
}

export function toStoredEvent(row: EventRow): StoredEvent {
  const { sequence, previous, hash } = row;
  const actor: Actor = { kind: row.actor_kind as Actor["kind"], id: row.actor_id };
  const event: SessionEvent = {
    type: row.type as SessionEvent["type"],
    at: row.at.getTime(),
    session: row.session,
    tenant: row.tenant,
    actor,
    ...(row.agent !== null && { agent: row.agent }),
    door: row.door as Door,
    ...(row.source !== null && { source: row.source as Source }),
    ...(row.call_id !== null && { callId: row.call_id }),
    ...(row.tool !== null && { tool: row.tool }),
    data: row.data,
  };
  return { event, sequence, previous, hash };
}

/** The event of a row that was chosen by a type of calls. */
export const toCallEvent = (row: EventRow) => toStoredEvent(row) as StoredEvent<CallEvent>;
