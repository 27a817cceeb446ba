import { sumBudgets, type TurnBudget, type TurnHold } from "@toolwright/engine/ports";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { updateHeld } from "./turn-row.ts";

interface Reserving {
  /** The turn whose budget it is. */
  readonly root: string;
  readonly next: TurnBudget;
}

/** What the family of a turn took and has reserved, without this one's own reservation. */
export async function reserveBudget(query: Query, held: TurnHold, { root, next }: Reserving): Promise<TurnBudget> {
  // Locked first: of two who ask at once, one sees what the other reserved.
  await query
    .selectFrom("toolwright.turns")
    .select("turn")
    .where("tenant", "=", held.tenant)
    .where("turn", "=", root)
    .forUpdate()
    .execute();
  await updateHeld(query, held).set({ reserved: "{}" }).execute();
  const taken = sumBudgets(await selectFamily(query, held.tenant, root).execute());
  await updateHeld(query, held)
    .set({ reserved: JSON.stringify(next) })
    .execute();
  return taken;
}

/** Exported so that its plan can be looked at. */
export function selectFamily(query: Query, tenant: string, root: string) {
  return query
    .selectFrom("toolwright.turns")
    .select(["usage", "reserved"])
    .where("tenant", "=", tenant)
    .where((where) => where.or([where("turn", "=", storableText(root)), where("parent", "=", storableText(root))]));
}
