import type { Json } from "./json.ts";
import type { Actor, Door, Source } from "./principal.ts";

export const eventTypes = [
  "tool.started",
  "tool.output_appended",
  "tool.completed",
  "tool.failed",
  "tool.cancelled",
  "tool.needs_approval",
  "tool.approved",
  "tool.denied",
] as const;
export type EventType = (typeof eventTypes)[number];

/** One fact of one call, before it has a place in the log. */
export interface CallEvent {
  readonly type: EventType;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly session: string;
  readonly tenant: string;
  readonly actor: Actor;
  readonly agent?: string | undefined;
  readonly door: Door;
  readonly source?: Source | undefined;
  readonly callId: string;
  readonly tool: string;
  /** Already redacted. */
  readonly data: { readonly [key: string]: Json | undefined };
}

/** An event in its session's log: `hash` covers the event and `previous`, so removal, change and reordering show. */
export interface StoredEvent {
  readonly event: CallEvent;
  /** 1-based, gapless in its session. */
  readonly sequence: number;
  /** Hash of the event before it, or the empty string. */
  readonly previous: string;
  readonly hash: string;
}
