import type { HeldTurn, Lease, OpenStep, TurnRecord, TurnRef } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { readContext } from "./contexts.ts";
import { readConversation } from "./messages.ts";
import { type TurnRow, toTurnRecord } from "./turn-row.ts";

interface Taking {
  readonly lease: Lease;
  readonly now: number;
}

/** Undefined for one that another run holds, that has ended or is not there. */
export async function takeTurn(query: Query, ref: TurnRef, taking: Taking): Promise<HeldTurn | undefined> {
  const taken = await holdFree(query, ref, taking);
  if (!taken) return undefined;
  const { waited_for: waitedFor, ...row } = taken;
  const turn = toTurnRecord(row);
  const open = await readStep(query, turn);
  const context = await readContext(query, turn);
  const rest = { ...(row.profile !== null && { profile: row.profile }), ...context, ...(open && { open }) };
  return { turn, messages: await readConversation(query, turn), waitedFor, ...rest };
}

/** The row is read locked: of many who take it up, the later ones see that it is held. */
async function holdFree(query: Query, { tenant, id }: TurnRef, { lease: { holder, until }, now }: Taking) {
  const { rows } = await sql<TurnRow & { waited_for: readonly string[] }>`
    with free as (
      select tenant, turn, waits_for from toolwright.turns
      where tenant = ${tenant} and turn = ${storableText(id)}
        and (state = 'waiting' or state = 'running' and held_until <= ${new Date(now)})
      for update
    )
    update toolwright.turns as kept
      set state = 'running', waits_for = '[]', holder = ${holder}, held_until = ${new Date(until)}
      from free where kept.tenant = free.tenant and kept.turn = free.turn
      returning kept.*, free.waits_for as waited_for`.execute(query);
  return rows[0];
}

async function readStep(query: Query, { tenant, id }: TurnRecord): Promise<OpenStep | undefined> {
  return query
    .selectFrom("toolwright.turn_steps")
    .select(["step", "response", "results"])
    .where("tenant", "=", tenant)
    .where("turn", "=", id)
    .executeTakeFirst();
}
