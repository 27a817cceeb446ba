import type { TurnHold, TurnRecord, TurnRef } from "@toolwright/engine/ports";
import { type Selectable, sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import type { TurnTables } from "./tables.ts";

export type TurnRow = Selectable<TurnTables["toolwright.turns"]>;

export function toTurnRecord(row: TurnRow): TurnRecord {
  return {
    id: row.turn,
    tenant: row.tenant,
    conversation: row.conversation,
    agent: row.agent,
    ...(row.owner !== null && { owner: row.owner }),
    principal: row.principal,
    callId: row.call_id,
    ...(row.parent !== null && { parent: row.parent }),
    ...(row.background && { background: true }),
    createdAt: row.created_at.getTime(),
    state: row.state,
    steps: row.steps,
    text: row.answer,
    ...(row.reached_limit !== null && { limit: row.reached_limit }),
    ...(row.finish_reason !== null && { finishReason: row.finish_reason }),
    ...(row.error && { error: row.error }),
    waitsFor: row.waits_for,
    ...(row.cancel_reason !== null && { cancelReason: row.cancel_reason }),
    usage: row.usage,
    ...(row.ended_at && { endedAt: row.ended_at.getTime() }),
  };
}

/** In the words of the index, by which PostgreSQL knows that it may go by it. */
export const isOpenRow = sql<boolean>`state in ('running', 'waiting')`;

export async function findTurn(query: Query, { tenant, id }: TurnRef): Promise<TurnRecord | undefined> {
  const row = await query
    .selectFrom("toolwright.turns")
    .selectAll()
    .where("tenant", "=", tenant)
    .where("turn", "=", storableText(id))
    .executeTakeFirst();
  return row && toTurnRecord(row);
}

/** The row, to be changed by the run that holds it and by no other. */
export function updateHeld(query: Query, { tenant, id, holder }: TurnHold) {
  return query
    .updateTable("toolwright.turns")
    .where("tenant", "=", tenant)
    .where("turn", "=", storableText(id))
    .where("holder", "=", holder)
    .where("state", "=", "running");
}
