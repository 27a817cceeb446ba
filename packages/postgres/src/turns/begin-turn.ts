import type { Json } from "@toolwright/engine";
import type { BegunTurn, Lease, NewTurn, OpeningTurn, TurnRecord } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { readContext } from "./contexts.ts";
import { addMessages, queueMessage, readConversation } from "./messages.ts";
import { isOpenRow, type TurnRow, toTurnRecord } from "./turn-row.ts";

interface Beginning {
  readonly message: Json;
  readonly lease: Lease;
}

/** An open turn that was in the way of the insert may have ended by the look: then the conversation is free. */
export async function beginTurn(query: Query, turn: OpeningTurn, { message, lease }: Beginning): Promise<BegunTurn> {
  for (;;) {
    const made = await insertTurn(query, turn, lease);
    if (made) {
      // Before the message is numbered: retention may be removing those of the conversation.
      await useConversation(query, made);
      await addMessages(query, made, { messages: [message], at: made.createdAt });
      const { profile } = turn;
      const messages = await readConversation(query, made);
      const context = await readContext(query, made);
      return { kind: "begun", turn: made, ...(profile !== undefined && { profile }), messages, ...context, waitedFor: [] };
    }
    const open = await lockOpen(query, turn);
    if (!open) continue;
    await queueMessage(query, open, message);
    return { kind: "queued", turn: open };
  }
}

/** Undefined where the conversation has an open turn. */
async function insertTurn(query: Query, turn: OpeningTurn, { holder, until }: Lease): Promise<TurnRecord | undefined> {
  const { id, tenant, conversation, agent, owner, principal, profile, callId, parent, background, createdAt } = turn;
  const { rows } = await sql<TurnRow>`
    insert into toolwright.turns
      (tenant, turn, conversation, agent, owner, principal, profile, call_id, parent, background, created_at, holder, held_until)
      values (${tenant}, ${storableText(id)}, ${storableText(conversation)}, ${agent}, ${owner === undefined ? null : storableText(owner)},
        ${JSON.stringify(principal)}::json, ${profile === undefined ? null : JSON.stringify(profile)}::json, ${callId},
        ${parent ?? null}, ${background ?? false}, ${new Date(createdAt)}, ${holder}, ${new Date(until)})
      on conflict (tenant, conversation) where ${isOpenRow} do nothing
      returning *`.execute(query);
  return rows[0] && toTurnRecord(rows[0]);
}

async function lockOpen(query: Query, { tenant, conversation }: NewTurn): Promise<TurnRecord | undefined> {
  const row = await query
    .selectFrom("toolwright.turns")
    .selectAll()
    .where("tenant", "=", tenant)
    .where("conversation", "=", storableText(conversation))
    .where(isOpenRow)
    .forUpdate()
    .executeTakeFirst();
  return row && toTurnRecord(row);
}

/** The log says nothing of a turn that calls no tool. */
async function useConversation(query: Query, { tenant, conversation, createdAt }: TurnRecord): Promise<void> {
  await query
    .updateTable("toolwright.sessions")
    .set({ has_messages: true, last_at: sql`greatest(last_at, ${new Date(createdAt)}::timestamptz)` })
    .where("tenant", "=", tenant)
    .where("session", "=", conversation)
    .execute();
}
