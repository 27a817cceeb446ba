import {
  mostClosedEvents,
  mostRoomMessages,
  mostRooms,
  type RoomEvent,
  type RoomMessage,
  type RoomRecord,
  type RoomRef,
} from "@toolwright/engine/ports";
import { type Selectable, sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import type { RoomTables } from "./tables.ts";

type EventRow = Selectable<RoomTables["toolwright.room_events"]>;

/** In the words of the index, by which PostgreSQL knows that it may go by it. */
const isOpenRow = sql<boolean>`state in ('queued', 'taken', 'for_person')`;

/** Rooms with what there is to do in them; exported so that plans of what begins with it can be looked at. */
function selectRooms(query: Query) {
  return query
    .selectFrom("toolwright.rooms as kept")
    .select((row) => [
      ...(["kept.tenant", "kept.room", "kept.title", "kept.agent", "kept.principal", "kept.people", "kept.created_at"] as const),
      ...(["kept.cycles", "kept.is_working", "kept.conversation", "kept.began", "kept.error"] as const),
      row
        .selectFrom("toolwright.room_events as event")
        .select(sql<number>`(count(*) filter (where state <> 'for_person'))::int`.as("open"))
        .whereRef("event.tenant", "=", "kept.tenant")
        .whereRef("event.room", "=", "kept.room")
        .where(isOpenRow)
        .as("open"),
      row
        .selectFrom("toolwright.room_events as event")
        .select(sql<number>`(count(*) filter (where state = 'for_person'))::int`.as("for_person"))
        .whereRef("event.tenant", "=", "kept.tenant")
        .whereRef("event.room", "=", "kept.room")
        .where(isOpenRow)
        .as("for_person"),
    ]);
}

type RoomRow = Awaited<ReturnType<ReturnType<typeof selectRooms>["executeTakeFirstOrThrow"]>>;

export function toRoom(row: RoomRow): RoomRecord {
  const { tenant, room: id, title, agent, principal, people, created_at: createdAt, cycles, is_working: isWorking } = row;
  return {
    ...{ tenant, id, title, agent, principal, people, createdAt: createdAt.getTime(), cycles, isWorking },
    ...{ open: row.open ?? 0, forPerson: row.for_person ?? 0 },
    ...(row.conversation !== null && { conversation: row.conversation }),
    ...(row.error !== null && { error: row.error }),
  };
}

export async function findRoom(query: Query, { tenant, id }: RoomRef): Promise<RoomRow | undefined> {
  return selectRooms(query).where("kept.tenant", "=", tenant).where("kept.room", "=", storableText(id)).executeTakeFirst();
}

export function selectList(query: Query, tenant: string, person: string | undefined) {
  return selectRooms(query)
    .where("kept.tenant", "=", tenant)
    .$if(person !== undefined, (some) => some.where(sql<boolean>`(kept.people = '{}' or ${storableText(person ?? "")} = any(kept.people))`))
    .orderBy("kept.created_at", "desc")
    .orderBy("kept.room", "desc")
    .limit(mostRooms);
}

interface DueFilter {
  readonly now: number;
  readonly limit: number;
}

export function selectDue(query: Query, { now, limit }: DueFilter) {
  return query
    .selectFrom("toolwright.rooms")
    .select(["tenant", "room as id"])
    .where("due_at", "<=", new Date(now))
    .orderBy("due_at")
    .limit(limit);
}

export function selectWorking(query: Query, tenant: string, conversation: string) {
  return selectRooms(query)
    .where("kept.tenant", "=", tenant)
    .where("kept.conversation", "=", storableText(conversation))
    .where(sql<boolean>`kept.is_working`);
}

export function selectOpenEvents(query: Query, { tenant, id }: RoomRef) {
  return selectEvents(query, { tenant, id }).where(isOpenRow);
}

export async function readEvents(query: Query, ref: RoomRef): Promise<readonly RoomEvent[]> {
  const open = await selectOpenEvents(query, ref).execute();
  const closed = await selectEvents(query, ref).where("closed_at", "is not", null).limit(mostClosedEvents).execute();
  return [...open, ...closed].sort((one, other) => other.event - one.event).map(toEvent);
}

function selectEvents(query: Query, { tenant, id }: RoomRef) {
  return query
    .selectFrom("toolwright.room_events")
    .selectAll()
    .where("tenant", "=", tenant)
    .where("room", "=", storableText(id))
    .orderBy("event", "desc");
}

export function toEvent({ event, body, by, at, state, missed, outcome, closed_by, closed_at }: EventRow): RoomEvent {
  return {
    ...{ event, text: body, by, at: at.getTime(), state, missed },
    ...(outcome !== null && { outcome }),
    ...(closed_by !== null && { closedBy: closed_by }),
    ...(closed_at !== null && { closedAt: closed_at.getTime() }),
  };
}

export async function readMessages(query: Query, { tenant, id }: RoomRef): Promise<readonly RoomMessage[]> {
  const rows = await query
    .selectFrom("toolwright.room_messages")
    .select(["message", "body", "person", "at", "foreign_mark"])
    .where("tenant", "=", tenant)
    .where("room", "=", storableText(id))
    .orderBy("message", "desc")
    .limit(mostRoomMessages)
    .execute();
  return rows.map(({ message, body, person, at, foreign_mark: foreign }) => ({
    ...{ message, text: body, at: at.getTime() },
    ...(person !== null && { to: person }),
    ...(foreign !== null && { foreign }),
  }));
}
