import type { Actor } from "@toolwright/engine";
import {
  type CycleEnding,
  cyclesOfEvent,
  eventsOfCycle,
  type NewRoom,
  type RoomChanges,
  type RoomCycle,
  type RoomEvent,
  type RoomMessage,
  type RoomRef,
  type TakingRoom,
} from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { findRoom, selectOpenEvents, toEvent, toRoom } from "./read-rooms.ts";

export async function createRoom(query: Query, { tenant, id, title, agent, principal, people, createdAt }: NewRoom): Promise<void> {
  await query
    .insertInto("toolwright.rooms")
    .values({
      ...{ tenant, room: storableText(id), agent: storableText(agent), people: people.map(storableText), created_at: new Date(createdAt) },
      ...{ title: JSON.stringify(title), principal: JSON.stringify(principal) },
    })
    .execute();
}

export async function changeRoom(query: Query, ref: RoomRef, { title, people }: RoomChanges): Promise<boolean> {
  const { numUpdatedRows } = await updateRoom(query, ref)
    .set((row) => ({
      title: title === undefined ? row.ref("title") : JSON.stringify(title),
      people: people === undefined ? row.ref("people") : people.map(storableText),
    }))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function removeRoom(query: Query, { tenant, id }: RoomRef): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom("toolwright.rooms")
    .where("tenant", "=", tenant)
    .where("room", "=", storableText(id))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

type Posted = Pick<RoomEvent, "text" | "by" | "at">;

/** The row of the room is locked by then: events are numbered one after the other. */
export async function postEvent(query: Query, ref: RoomRef, { text, by, at }: Posted): Promise<RoomEvent | undefined> {
  const row = await updateRoom(query, ref)
    .set({ events: sql`events + 1`, due_at: sql`case when is_working then due_at else least(due_at, ${new Date(at)}::timestamptz) end` })
    .returning("events")
    .executeTakeFirst();
  if (!row) return undefined;
  const made = await query
    .insertInto("toolwright.room_events")
    .values({
      ...{ tenant: ref.tenant, room: storableText(ref.id), event: row.events, at: new Date(at) },
      ...{ body: JSON.stringify(text), by: JSON.stringify(by) },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toEvent(made);
}

export async function say(query: Query, ref: RoomRef, { text, to, at, foreign }: Omit<RoomMessage, "message">): Promise<boolean> {
  const row = await updateRoom(query, ref).set({ messages: sql`messages + 1` }).returning("messages").executeTakeFirst();
  if (!row) return false;
  await query
    .insertInto("toolwright.room_messages")
    .values({
      ...{ tenant: ref.tenant, room: storableText(ref.id), message: row.messages, body: JSON.stringify(text), at: new Date(at) },
      person: to === undefined ? null : storableText(to),
      foreign_mark: foreign && JSON.stringify(foreign),
    })
    .execute();
  return true;
}

export async function compact(query: Query, ref: RoomRef, summary: string): Promise<boolean> {
  const { numUpdatedRows } = await updateRoom(query, ref)
    .set({ summary: JSON.stringify(summary) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Takes a room; when many do at once, the later ones see that it is not due any more. */
export async function takeRoom(query: Query, ref: RoomRef, { conversation, now, until }: TakingRoom): Promise<RoomCycle | undefined> {
  const row = await query
    .selectFrom("toolwright.rooms")
    .select(["is_working", "conversation", "summary"])
    .where("tenant", "=", ref.tenant)
    .where("room", "=", storableText(ref.id))
    .where("due_at", "<=", new Date(now))
    .forUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  const begins = !row.is_working;
  if (begins && (await takeEvents(query, ref)) === 0n) {
    await updateRoom(query, ref).set({ due_at: null }).execute();
    return undefined;
  }
  const isNew = row.conversation === null || row.summary !== null;
  const began = isNew && row.summary !== null ? JSON.stringify(row.summary) : null;
  await updateRoom(query, ref)
    .set({
      due_at: new Date(until),
      ...(begins && { cycles: sql<number>`cycles + 1`, is_working: true, began, summary: null }),
      ...(begins && isNew && { conversation: storableText(conversation) }),
    })
    .execute();
  return readCycle(query, ref);
}

async function takeEvents(query: Query, { tenant, id }: RoomRef): Promise<bigint> {
  const { numAffectedRows = 0n } = await sql`update toolwright.room_events set state = 'taken'
    where tenant = ${tenant} and room = ${storableText(id)} and event in (
      select event from toolwright.room_events where tenant = ${tenant} and room = ${storableText(id)}
        and state = 'queued' order by event limit ${sql.lit(eventsOfCycle)})`.execute(query);
  return numAffectedRows;
}

async function readCycle(query: Query, ref: RoomRef): Promise<RoomCycle | undefined> {
  const row = await findRoom(query, ref);
  if (!row || row.conversation === null) return undefined;
  const events = (await selectOpenEvents(query, ref).where("state", "=", "taken").execute()).map(toEvent).reverse();
  const { cycles: cycle, conversation, began } = row;
  return { room: toRoom(row), cycle, conversation, events, ...(began !== null && { summary: began }) };
}

export async function endCycle(query: Query, ref: RoomRef, { cycle, error, toPerson = false, at }: CycleEnding): Promise<boolean> {
  const row = await updateRoom(query, ref)
    .where("is_working", "=", true)
    .where("cycles", "=", cycle)
    .set({ is_working: false, error: error === undefined ? null : JSON.stringify(error) })
    .returning("room")
    .executeTakeFirst();
  if (!row) return false;
  const { tenant } = ref;
  await sql`update toolwright.room_events
    set missed = missed + 1, state = case when ${toPerson} or missed + 1 >= ${sql.lit(cyclesOfEvent)} then 'for_person' else 'queued' end
    where tenant = ${tenant} and room = ${row.room} and state = 'taken'`.execute(query);
  await updateRoom(query, ref)
    .set({
      due_at: sql`case when exists (select from toolwright.room_events where tenant = ${tenant} and room = ${row.room}
        and state = 'queued') then ${new Date(at)}::timestamptz end`,
    })
    .execute();
  return true;
}

interface Completed {
  readonly event: number;
  readonly outcome?: string | undefined;
  readonly at: number;
}

export async function completeEvent(query: Query, ref: RoomRef, { event, outcome, at }: Completed): Promise<boolean> {
  const { numUpdatedRows } = await updateEvent(query, ref, event)
    .where("state", "=", "taken")
    .set({ state: "done", outcome: outcome === undefined ? null : JSON.stringify(outcome), closed_at: new Date(at) })
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  const { numUpdatedRows: known } = await updateEvent(query, ref, event)
    .where("state", "=", "done")
    .set({ state: "done" })
    .executeTakeFirst();
  return known > 0n;
}

export async function resolveEvent(
  query: Query,
  ref: RoomRef,
  { event, outcome, at, by }: Completed & { readonly by: Actor },
): Promise<boolean> {
  const words = outcome === undefined ? null : JSON.stringify(outcome);
  const { numUpdatedRows } = await updateEvent(query, ref, event)
    .where("state", "in", ["queued", "for_person"])
    .set({ state: "resolved", outcome: words, closed_by: JSON.stringify(by), closed_at: new Date(at) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function updateRoom(query: Query, { tenant, id }: RoomRef) {
  return query.updateTable("toolwright.rooms").where("tenant", "=", tenant).where("room", "=", storableText(id));
}

function updateEvent(query: Query, { tenant, id }: RoomRef, event: number) {
  return query
    .updateTable("toolwright.room_events")
    .where("tenant", "=", tenant)
    .where("room", "=", storableText(id))
    .where("event", "=", event);
}
