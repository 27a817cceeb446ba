import type { Actor } from "../contract/principal.ts";
import {
  type CycleEnding,
  cyclesOfEvent,
  eventsOfCycle,
  isOpenEvent,
  mostClosedEvents,
  mostRoomMessages,
  mostRooms,
  type NewRoom,
  type RoomChanges,
  type RoomCycle,
  type RoomEvent,
  type RoomMessage,
  type RoomRecord,
  type RoomRef,
  type Rooms,
  type TakingRoom,
} from "../ports/rooms.ts";

interface Row {
  room: NewRoom;
  cycles: number;
  isWorking: boolean;
  conversation: string | undefined;
  /** What the conversation began with. */
  began: string | undefined;
  /** What the next one is to begin with. */
  summary: string | undefined;
  error: string | undefined;
  /** When somebody is to take it. */
  dueAt: number | undefined;
  events: RoomEvent[];
  messages: RoomMessage[];
}

const keyOf = ({ tenant, id }: RoomRef) => JSON.stringify([tenant, id]);

/** Keeps rooms in memory: lost with the process. */
export function createMemoryRooms(): Rooms {
  return new MemoryRooms();
}

class MemoryRooms implements Rooms {
  readonly #rows = new Map<string, Row>();
  readonly #listeners = new Set<() => void>();

  async create(room: NewRoom): Promise<void> {
    const begun = { cycles: 0, isWorking: false, conversation: undefined, began: undefined, summary: undefined };
    this.#rows.set(keyOf(room), { room: structuredClone(room), ...begun, error: undefined, dueAt: undefined, events: [], messages: [] });
  }

  async get(ref: RoomRef): Promise<RoomRecord | undefined> {
    const row = this.#find(ref);
    return row && toRecord(row);
  }

  async list(tenant: string, { person }: { readonly person?: string | undefined }): Promise<readonly RoomRecord[]> {
    const found = [...this.#rows.values()].filter(
      ({ room }) => room.tenant === tenant && (person === undefined || room.people.length === 0 || room.people.includes(person)),
    );
    return found.reverse().slice(0, mostRooms).map(toRecord);
  }

  async change(ref: RoomRef, { title, people }: RoomChanges): Promise<boolean> {
    const row = this.#find(ref);
    if (row) row.room = { ...row.room, ...(title !== undefined && { title }), ...(people !== undefined && { people: [...people] }) };
    return row !== undefined;
  }

  async remove(ref: RoomRef): Promise<boolean> {
    return this.#rows.delete(keyOf(ref));
  }

  async post(ref: RoomRef, posted: Pick<RoomEvent, "text" | "by" | "at">): Promise<RoomEvent | undefined> {
    const row = this.#find(ref);
    if (!row) return undefined;
    const made: RoomEvent = { ...posted, event: row.events.length + 1, state: "queued", missed: 0 };
    row.events.push(made);
    if (!row.isWorking) row.dueAt ??= posted.at;
    for (const listener of this.#listeners) listener();
    return made;
  }

  async events(ref: RoomRef): Promise<readonly RoomEvent[]> {
    const all = this.#find(ref)?.events.toReversed() ?? [];
    const closed = new Set(all.filter((event) => !isOpenEvent(event)).slice(0, mostClosedEvents));
    return all.filter((event) => isOpenEvent(event) || closed.has(event));
  }

  async messages(ref: RoomRef): Promise<readonly RoomMessage[]> {
    return this.#find(ref)?.messages.toReversed().slice(0, mostRoomMessages) ?? [];
  }

  async due({ now, limit }: { readonly now: number; readonly limit: number }): Promise<readonly RoomRef[]> {
    const due = [...this.#rows.values()].filter(({ dueAt }) => dueAt !== undefined && dueAt <= now);
    return due
      .sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0))
      .slice(0, limit)
      .map(({ room: { tenant, id } }) => ({ tenant, id }));
  }

  async take(ref: RoomRef, { conversation, now, until }: TakingRoom): Promise<RoomCycle | undefined> {
    const row = this.#find(ref);
    if (row?.dueAt === undefined || row.dueAt > now) return undefined;
    if (!row.isWorking) {
      const taken = row.events.filter(({ state }) => state === "queued").slice(0, eventsOfCycle);
      row.dueAt = undefined;
      if (taken.length === 0) return undefined;
      for (const event of taken) this.#change(row, { ...event, state: "taken" });
      const isNew = row.conversation === undefined || row.summary !== undefined;
      row.cycles += 1;
      row.isWorking = true;
      row.began = isNew ? row.summary : undefined;
      if (isNew) row.conversation = conversation;
      row.summary = undefined;
    }
    row.dueAt = until;
    const events = row.events.filter(({ state }) => state === "taken");
    return {
      room: toRecord(row),
      cycle: row.cycles,
      conversation: row.conversation ?? conversation,
      events,
      ...(row.began !== undefined && { summary: row.began }),
    };
  }

  async endCycle(ref: RoomRef, { cycle, error, toPerson = false, at }: CycleEnding): Promise<boolean> {
    const row = this.#find(ref);
    if (!row?.isWorking || row.cycles !== cycle) return false;
    for (const event of row.events.filter(({ state }) => state === "taken")) {
      const missed = event.missed + 1;
      this.#change(row, { ...event, missed, state: toPerson || missed >= cyclesOfEvent ? "for_person" : "queued" });
    }
    row.isWorking = false;
    row.error = error;
    row.dueAt = row.events.some(({ state }) => state === "queued") ? at : undefined;
    if (row.dueAt !== undefined) for (const listener of this.#listeners) listener();
    return true;
  }

  async working(tenant: string, conversation: string): Promise<RoomRecord | undefined> {
    const found = [...this.#rows.values()].find((row) => row.room.tenant === tenant && row.isWorking && row.conversation === conversation);
    return found && toRecord(found);
  }

  async complete(
    ref: RoomRef,
    { event, outcome, at }: { readonly event: number; readonly outcome?: string | undefined; readonly at: number },
  ): Promise<boolean> {
    const row = this.#find(ref);
    const found = row?.events.find((each) => each.event === event);
    if (found?.state === "taken" && row)
      this.#change(row, { ...found, state: "done", closedAt: at, ...(outcome !== undefined && { outcome }) });
    return found?.state === "taken" || found?.state === "done";
  }

  async say(ref: RoomRef, said: Omit<RoomMessage, "message">): Promise<boolean> {
    const row = this.#find(ref);
    row?.messages.push({ ...said, message: row.messages.length + 1 });
    return row !== undefined;
  }

  async compact(ref: RoomRef, summary: string): Promise<boolean> {
    const row = this.#find(ref);
    if (row) row.summary = summary;
    return row !== undefined;
  }

  async resolve(
    ref: RoomRef,
    { event, outcome, by, at }: Pick<RoomEvent, "event" | "outcome"> & { readonly by: Actor; readonly at: number },
  ): Promise<boolean> {
    const row = this.#find(ref);
    const found = row?.events.find((each) => each.event === event && (each.state === "for_person" || each.state === "queued"));
    if (row && found)
      this.#change(row, { ...found, state: "resolved", closedBy: by, closedAt: at, ...(outcome !== undefined && { outcome }) });
    return found !== undefined;
  }

  onDue(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  #find(ref: RoomRef): Row | undefined {
    return this.#rows.get(keyOf(ref));
  }

  #change(row: Row, changed: RoomEvent): void {
    row.events = row.events.map((each) => (each.event === changed.event ? changed : each));
  }
}

function toRecord({ room, cycles, isWorking, conversation, error, events }: Row): RoomRecord {
  const count = (...states: readonly RoomEvent["state"][]) => events.filter(({ state }) => states.includes(state)).length;
  return {
    ...structuredClone(room),
    ...{ cycles, isWorking, open: count("queued", "taken"), forPerson: count("for_person") },
    ...(conversation !== undefined && { conversation }),
    ...(error !== undefined && { error }),
  };
}
