import type { Json } from "@toolwright/engine";
import {
  type ConversationMessage,
  type MessageFilter,
  messageLimit,
  type QueuedMessage,
  type TurnRecord,
  type TurnRef,
  type WaitingMessage,
} from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { isOpenRow } from "./turn-row.ts";

type OfTurn = Pick<TurnRecord, "tenant" | "id" | "conversation">;

interface AddedMessages {
  readonly messages: readonly Json[];
  /** Ids of queued messages, which leave the queue and follow. */
  readonly delivered?: readonly string[];
  readonly at: number;
}

/** After the last of the conversation, whose open turn the transaction has locked. */
export async function addMessages(query: Query, { tenant, id, conversation }: OfTurn, added: AddedMessages): Promise<void> {
  const { messages, delivered = [], at } = added;
  const texts = messages.map((message) => JSON.stringify(message));
  await sql`select toolwright.add_messages(${tenant}, ${id}, ${conversation}, ${texts}::text[], ${delivered.map(Number)}::bigint[],
    ${at}::bigint)`.execute(query);
}

export async function readMessages(query: Query, filter: MessageFilter): Promise<readonly ConversationMessage[]> {
  const rows = await selectMessages(query, filter).execute();
  return rows.map(({ at, ...rest }) => ({ ...rest, at: at.getTime() }));
}

/** Exported so that its plan can be looked at. */
export function selectMessages(query: Query, { tenant, conversation, after = 0, limit }: MessageFilter) {
  return query
    .selectFrom("toolwright.messages")
    .select(["sequence", "turn", "message", "at"])
    .where("tenant", "=", tenant)
    .where("conversation", "=", storableText(conversation))
    .where("sequence", ">", after)
    .orderBy("sequence")
    .limit(messageLimit({ limit }));
}

/** All of them. */
export async function readConversation(
  query: Query,
  { tenant, conversation }: Pick<OfTurn, "tenant" | "conversation">,
): Promise<readonly Json[]> {
  const rows = await query
    .selectFrom("toolwright.messages")
    .select("message")
    .where("tenant", "=", tenant)
    .where("conversation", "=", conversation)
    .orderBy("sequence")
    .execute();
  return rows.map(({ message }) => message);
}

/** Queues a message for a turn that the transaction has locked. */
export async function queueMessage(query: Query, { tenant, id }: TurnRef, message: Json): Promise<void> {
  await sql`insert into toolwright.queued_messages (tenant, turn, position, message)
    select ${tenant}, ${id}, coalesce(max(position), 0) + 1, ${JSON.stringify(message)}::json
    from toolwright.queued_messages where tenant = ${tenant} and turn = ${id}`.execute(query);
}

export async function readQueued(query: Query, { tenant, id }: TurnRef): Promise<readonly QueuedMessage[]> {
  const rows = await query
    .selectFrom("toolwright.queued_messages")
    .select(["position", "message"])
    .where("tenant", "=", tenant)
    .where("turn", "=", id)
    .orderBy("position")
    .execute();
  return rows.map(({ position, message }) => ({ id: `${position}`, message }));
}

type OfConversation = Pick<MessageFilter, "tenant" | "conversation">;

export async function readWaiting(query: Query, conversation: OfConversation): Promise<readonly WaitingMessage[]> {
  const rows = await selectWaiting(query, conversation).execute();
  return rows.map(({ position, ...rest }) => ({ id: `${position}`, ...rest }));
}

/** Exported so that its plan can be looked at. */
export function selectWaiting(query: Query, { tenant, conversation }: OfConversation) {
  return query
    .selectFrom("toolwright.turns as kept")
    .innerJoin("toolwright.queued_messages as queued", (join) =>
      join.onRef("queued.tenant", "=", "kept.tenant").onRef("queued.turn", "=", "kept.turn"),
    )
    .select(["queued.position", "queued.turn", "queued.message"])
    .where("kept.tenant", "=", tenant)
    .where("kept.conversation", "=", storableText(conversation))
    .where(isOpenRow)
    .orderBy("queued.position");
}
