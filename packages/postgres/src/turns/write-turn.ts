import {
  type KeptStep,
  type OpenStep,
  type QueuedMessage,
  sumBudgets,
  type TurnBudget,
  type TurnEnding,
  type TurnHold,
  type TurnNews,
  type TurnRecord,
  type TurnRef,
} from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { addMessages, readQueued, takeQueued } from "./messages.ts";
import { reserveBudget } from "./reserve-budget.ts";
import { findTurn, isOpenRow, updateHeld } from "./turn-row.ts";

export async function readNews(query: Query, held: TurnHold, next: TurnBudget): Promise<TurnNews | undefined> {
  const row = await selectNews(query, held).executeTakeFirst();
  if (!row) return undefined;
  const { cancel_reason: cancelReason, parent, has_children: hasChildren, usage } = row;
  // Nobody shares the budget of a turn without sub-agents.
  const isAlone = parent === null && !hasChildren;
  const taken = isAlone ? sumBudgets([{ usage, reserved: {} }]) : await reserveBudget(query, held, { root: parent ?? held.id, next });
  return { queued: await readQueued(query, held), taken, ...(cancelReason !== null && { cancelReason }) };
}

function selectNews(query: Query, { tenant, id, holder }: TurnHold) {
  return query
    .selectFrom("toolwright.turns as own")
    .select(({ exists, selectFrom }) => [
      "cancel_reason",
      "parent",
      "usage",
      exists(
        selectFrom("toolwright.turns as child").select("child.turn").where("child.tenant", "=", tenant).where("child.parent", "=", id),
      ).as("has_children"),
    ])
    .where("tenant", "=", tenant)
    .where("turn", "=", storableText(id))
    .where("holder", "=", holder)
    .where("state", "=", "running");
}

export async function keepStep(query: Query, held: TurnHold, kept: KeptStep): Promise<boolean> {
  const { step, response, settled, delivered, usage, at } = kept;
  const row = await updateHeld(query, held)
    .set({ steps: step, usage: JSON.stringify(usage), reserved: "{}" })
    .returning("conversation")
    .executeTakeFirst();
  if (!row) return false;
  await addMessages(query, { ...held, ...row }, [...settled, ...(await takeQueued(query, held, delivered))], at);
  const values = { step, response: JSON.stringify(response), results: "{}" };
  await query
    .insertInto("toolwright.turn_steps")
    .values({ tenant: held.tenant, turn: held.id, ...values })
    .onConflict((conflict) => conflict.columns(["tenant", "turn"]).doUpdateSet(values))
    .execute();
  return true;
}

export async function holdTurn(query: Query, held: TurnHold, until: number): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(query, held)
    .set({ held_until: new Date(until) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Waiting = Pick<TurnRecord, "waitsFor"> & Pick<OpenStep, "results">;

export async function waitInTurn(query: Query, held: TurnHold, { waitsFor, results }: Waiting): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(query, held)
    .set({ state: "waiting", waits_for: JSON.stringify(waitsFor), reserved: "{}" })
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
  const { state, text, limit, error, settled, usage, at } = ending;
  const row = await updateHeld(query, held)
    .set({ usage: JSON.stringify(usage), reserved: "{}" })
    .returning("conversation")
    .executeTakeFirst();
  if (!row) return undefined;
  const queued = await readQueued(query, held);
  const said = await takeQueued(
    query,
    held,
    queued.map(({ id }) => id),
  );
  await addMessages(query, { ...held, ...row }, [...settled, ...said], at);
  await query.deleteFrom("toolwright.turn_steps").where("tenant", "=", held.tenant).where("turn", "=", held.id).execute();
  if (queued.length > 0 && state === "done" && limit === undefined) return queued;
  const ended = { state, answer: JSON.stringify(text), reached_limit: limit ?? null, ended_at: new Date(at), profile: null };
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
