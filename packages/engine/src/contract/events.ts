import { ToolwrightError } from "./errors.ts";
import type { Json } from "./json.ts";
import type { Actor, Door, Source } from "./principal.ts";

/** Types of the events that the gate writes for each call. */
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
/** Type of an event of a call, such as `tool.started`. */
export type EventType = (typeof eventTypes)[number];

/** One fact of a session, before it has a place in the log. */
export interface SessionEvent {
  /** Family and name, as in `tool.started` or `agent.step`. Families other than `tool` come from `declareEvents`. */
  readonly type: `${string}.${string}`;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly session: string;
  readonly tenant: string;
  readonly actor: Actor;
  readonly agent?: string | undefined;
  readonly door: Door;
  readonly source?: Source | undefined;
  /** The call that the event belongs to, if any. */
  readonly callId?: string | undefined;
  readonly tool?: string | undefined;
  /** Already redacted. */
  readonly data: { readonly [key: string]: Json | undefined };
}

/** One fact of one call, before it has a place in the log. */
export interface CallEvent extends SessionEvent {
  readonly type: EventType;
  readonly callId: string;
  readonly tool: string;
}

/** An event in its session's log: `hash` covers the event and `previous`, so removal, change and reordering show. */
export interface StoredEvent<Event extends SessionEvent = SessionEvent> {
  readonly event: Event;
  /** 1-based, gapless in its session. */
  readonly sequence: number;
  /** Hash of the event before it, or the empty string. */
  readonly previous: string;
  readonly hash: string;
}

const callTypes: ReadonlySet<string> = new Set(eventTypes);
const declared = new Set<string>();
/** Form of a family of events, and of a name in it. */
export const eventNameForm = /^[a-z][a-z0-9_]{0,31}$/;

/**
 * Adds a family of events that a log takes, as in `declareEvents("agent", ["step"])` for `agent.step`. Declaring the same again changes nothing.
 * Reading and verifying a log needs no declaration. Throws `event_refused` for the family `tool` and for a name that is not well formed.
 */
export function declareEvents(family: string, names: readonly string[]): void {
  if (family === "tool") throw new ToolwrightError("event_refused", "The family tool is the engine's own. Choose another family.");
  const odd = [family, ...names].find((name) => !eventNameForm.test(name));
  if (odd !== undefined) {
    const form = "Begin with a lower-case letter; letters, digits and _ follow, 32 in all.";
    throw new ToolwrightError("event_refused", `${JSON.stringify(odd)} is no name for events. ${form}`);
  }
  for (const name of names) declared.add(`${family}.${name}`);
}

export function isCallEvent(event: SessionEvent): event is CallEvent {
  return callTypes.has(event.type);
}

/** Throws `event_refused` for an event that no log takes: of an undeclared type, or of a call that it does not name. */
export function checkEvent(event: SessionEvent): void {
  if (isCallEvent(event)) {
    if (typeof event.callId === "string" && typeof event.tool === "string") return;
    const message = `The event ${event.type} names no call or no tool. Give it callId and tool; nothing was written.`;
    throw new ToolwrightError("event_refused", message);
  }
  if (declared.has(event.type)) return;
  const [family = "", ...name] = String(event.type).split(".");
  if (family === "tool")
    throw new ToolwrightError(
      "event_refused",
      `Calls have no event ${JSON.stringify(event.type)}; nothing was written. Use one of: ${eventTypes.join(", ")}.`,
    );
  const call = `declareEvents(${JSON.stringify(family)}, [${JSON.stringify(name.join("."))}])`;
  const message = `Events of the type ${JSON.stringify(event.type)} are not declared. Declare them before the first one: ${call}; nothing was written.`;
  throw new ToolwrightError("event_refused", message);
}
