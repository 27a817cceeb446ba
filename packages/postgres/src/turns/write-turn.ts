import type { Lease, OpenStep, QueuedMessage, TurnEnding, TurnHold, TurnRecord, TurnRef } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { addMessages, readQueued } from "./messages.ts";
import { findTurn, isOpenRow, updateHeld } from "./turn-row.ts";

type Holding = Pick<Lease, "until"> & Partial<Pick<TurnRecord, "usage">>;

export async function holdTurn(query: Query, held: TurnHold, { until, usage }: Holding): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(query, held)
    .set({ held_until: new Date(until), ...(usage && { usage: JSON.stringify(usage) }) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Waiting = Pick<TurnRecord, "waitsFor" | "usage"> & Pick<OpenStep, "results">;

export async function waitInTurn(query: Query, held: TurnHold, { waitsFor, results, usage }: Waiting): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(query, held)
    .set({ state: "waiting", waits_for: JSON.stringify(waitsFor), usage: JSON.stringify(usage), reserved: "{}" })
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await query
    .updateTable("toolwright.turn_steps")
    .set({ results: JSON.stringify(results) })
    .where("tenant", "=", held.tenant)
    .where("turn", "=", held.id)
    .execute();
  return true;
}

export async function endTurn(query: Query, held: TurnHold, ending: TurnEnding): Promise<readonly QueuedMessage[] | undefined> {
  const { state, text, limit, finishReason, error, settled, usage, at } = ending;
  const row = await updateHeld(query, held)
    .set({ usage: JSON.stringify(usage), reserved: "{}" })
    .returning("conversation")
    .executeTakeFirst();
  if (!row) return undefined;
  const queued = await readQueued(query, held);
  const delivered = queued.map((message) => message.id);
  await addMessages(query, { ...held, ...row }, { messages: settled, delivered, at });
  await query.deleteFrom("toolwright.turn_steps").where("tenant", "=", held.tenant).where("turn", "=", held.id).execute();
  if (queued.length > 0 && state === "done" && limit === undefined) return queued;
  const cut = { reached_limit: limit ?? null, finish_reason: finishReason ?? null };
  const ended = { state, answer: JSON.stringify(text), ...cut, ended_at: new Date(at), profile: null };
  await updateHeld(query, held)
    .set({ ...ended, ...(error && { error: JSON.stringify(error) }) })
    .execute();
  return [];
}

export async function cancelTurn(query: Query, ref: TurnRef, reason: string): Promise<TurnRecord | undefined> {
  await query
    .updateTable("toolwright.turns")
    .set({ cancel_reason: sql`coalesce(cancel_reason, ${storableText(reason)})` })
    .where("tenant", "=", ref.tenant)
    .where("turn", "=", storableText(ref.id))
    .where(isOpenRow)
    .execute();
  return findTurn(query, ref);
}
