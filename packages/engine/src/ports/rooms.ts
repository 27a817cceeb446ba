import { ToolwrightError } from "../contract/errors.ts";
import type { ForeignMark } from "../contract/foreign.ts";
import type { Actor, Principal } from "../contract/principal.ts";
import { definePort } from "./define-port.ts";

/** Events that one cycle takes at most, and cycles after which an event that none completed goes to a person. */
export const eventsOfCycle = 20;
export const cyclesOfEvent = 3;

/** `taken` is in the cycle that is open; the last two are endings: by the agent, and by a person. */
export const roomEventStates = ["queued", "taken", "for_person", "done", "resolved"] as const;
export type RoomEventState = (typeof roomEventStates)[number];

/** An agent, people, and a queue of events that the agent works off. Times in milliseconds since the epoch. */
export interface NewRoom {
  readonly tenant: string;
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  /** Who made it: its cycles have no more than the rights that are left of theirs. */
  readonly principal: Principal;
  /** Ids of the people in it. Without any, everybody of the tenant who names the room may use it. */
  readonly people: readonly string[];
  readonly createdAt: number;
}

export interface RoomRecord extends NewRoom {
  /** Cycles that have begun. */
  readonly cycles: number;
  /** True while the last of them is open. */
  readonly isWorking: boolean;
  /** The session of the last one; absent before the first. */
  readonly conversation?: string;
  /** Why the last one did not go well. */
  readonly error?: string;
  /** Events that are queued or taken, and those that a person is to see to. */
  readonly open: number;
  readonly forPerson: number;
}

export interface RoomEvent {
  /** From 1, in its room. */
  readonly event: number;
  readonly text: string;
  readonly by: Actor;
  readonly at: number;
  readonly state: RoomEventState;
  /** Cycles that ended without it. */
  readonly missed: number;
  /** What came of it, in words. */
  readonly outcome?: string;
  /** The person who resolved it. */
  readonly closedBy?: Actor;
  readonly closedAt?: number;
}

/** What the agent said to the people of the room. */
export interface RoomMessage {
  /** From 1, in its room. */
  readonly message: number;
  readonly text: string;
  /** Id of the person that it is for; absent for all of them. */
  readonly to?: string;
  readonly at: number;
  /** What its session had read first that nobody here wrote. */
  readonly foreign?: ForeignMark;
}

/** A cycle that is open: one call of the room's agent about some events. */
export interface RoomCycle {
  readonly room: RoomRecord;
  readonly cycle: number;
  readonly conversation: string;
  /** What the agent wrote down of the conversations before, for the first cycle of a new one. */
  readonly summary?: string;
  /** In the order in which they were posted. */
  readonly events: readonly RoomEvent[];
}

export interface RoomRef {
  readonly tenant: string;
  readonly id: string;
}

export interface RoomChanges {
  readonly title?: string | undefined;
  readonly people?: readonly string[] | undefined;
}

export interface TakingRoom {
  /** Session of the cycle, where it begins a new conversation. */
  readonly conversation: string;
  readonly now: number;
  /** Nobody else takes the room until then. */
  readonly until: number;
}

export interface CycleEnding {
  readonly cycle: number;
  /** Why it did not go well. */
  readonly error?: string;
  /** True: events that it did not complete go to a person at once. */
  readonly toPerson?: boolean;
  readonly at: number;
}

/**
 * Rooms, their events, and what their agents said. *Contract:* a room has at most one open cycle, over all processes. What belongs to another tenant
 * is not found. What one write holds is stored together or not at all.
 */
export interface Rooms {
  create(room: NewRoom): Promise<void>;
  get(ref: RoomRef): Promise<RoomRecord | undefined>;
  /** Newest first, at most 500. `person`: only rooms with them, and those without people. */
  list(tenant: string, filter: { readonly person?: string | undefined }): Promise<readonly RoomRecord[]>;
  /** What is left out stays. False where there is none. */
  change(ref: RoomRef, changes: RoomChanges): Promise<boolean>;
  /** With all that is in it. False where there is none. */
  remove(ref: RoomRef): Promise<boolean>;
  /** Undefined where there is no such room. */
  post(ref: RoomRef, posted: Pick<RoomEvent, "text" | "by" | "at">): Promise<RoomEvent | undefined>;
  /** Newest first: those that are open, then 100 others at most. */
  events(ref: RoomRef): Promise<readonly RoomEvent[]>;
  /** Newest first, at most 100. */
  messages(ref: RoomRef): Promise<readonly RoomMessage[]>;
  /** Rooms of any tenant that somebody should take now, longest waiting first: with queued events and no open cycle, or with one to be looked at. */
  due(options: { readonly now: number; readonly limit: number }): Promise<readonly RoomRef[]>;
  /**
   * The room's open cycle, to see how it stands, or a new one with the events that have waited for longest. Undefined where there is nothing to do, and
   * where somebody else took the room.
   */
  take(ref: RoomRef, taking: TakingRoom): Promise<RoomCycle | undefined>;
  /** Ends the open cycle. False for another one than that. */
  endCycle(ref: RoomRef, ending: CycleEnding): Promise<boolean>;
  /** The room whose open cycle is in this conversation. */
  working(tenant: string, conversation: string): Promise<RoomRecord | undefined>;
  /** Ends an event that the open cycle took. False for any other; true again for one that ended so. */
  complete(ref: RoomRef, ended: { readonly event: number; readonly outcome?: string | undefined; readonly at: number }): Promise<boolean>;
  /** False where there is no such room. */
  say(ref: RoomRef, said: Omit<RoomMessage, "message">): Promise<boolean>;
  /** The next cycle begins a new conversation with this summary. False where there is no such room. */
  compact(ref: RoomRef, summary: string): Promise<boolean>;
  /** A person ends an event that is queued or for a person. False for any other. */
  resolve(ref: RoomRef, ended: Pick<RoomEvent, "event" | "outcome"> & { readonly by: Actor; readonly at: number }): Promise<boolean>;
  /** Calls back when rooms may be due, of whichever tenant. Returns how to stop. */
  onDue(listener: () => void): () => void;
}

export const roomsPort = definePort<Rooms>()("rooms", "a store of rooms, such as createMemoryRooms()");

/** How much lists hold. */
export const mostRooms = 500;
export const mostClosedEvents = 100;
export const mostRoomMessages = 100;

export function isOpenEvent({ state }: Pick<RoomEvent, "state">): boolean {
  return state !== "done" && state !== "resolved";
}

/** The error of a room that there is not, or that the principal may not see. */
export function roomNotFound(id: string): ToolwrightError {
  return new ToolwrightError("room_not_found", `There is no room ${JSON.stringify(id)}. List the rooms to see what there is.`);
}
