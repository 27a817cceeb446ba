import { sumBudgets, type TurnBudget, type TurnHold } from "@toolwright/engine/ports";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { updateHeld } from "./turn-row.ts";

interface Reserving {
  readonly parent: string | null;
  readonly next: TurnBudget;
}

/**
 * What the family of a turn took and has reserved, without this one's own reservation. A turn alone reserves nothing: nobody shares its budget. In
 * a family the root is locked first, so that of two who ask at once one sees what the other reserved.
 */
export async function reserveBudget(query: Query, held: TurnHold, { parent, next }: Reserving): Promise<TurnBudget> {
  const root = storableText(parent ?? held.id);
  const family = await readFamily(query, held.tenant, root);
  if (family.length === 1) return sumBudgets(family);
  await query
    .selectFrom("toolwright.turns")
    .select("turn")
    .where("tenant", "=", held.tenant)
    .where("turn", "=", root)
    .forUpdate()
    .execute();
  await updateHeld(query, held).set({ reserved: "{}" }).execute();
  const taken = sumBudgets(await readFamily(query, held.tenant, root));
  await updateHeld(query, held)
    .set({ reserved: JSON.stringify(next) })
    .execute();
  return taken;
}

function readFamily(query: Query, tenant: string, root: string) {
  return query
    .selectFrom("toolwright.turns")
    .select(["usage", "reserved"])
    .where("tenant", "=", tenant)
    .where((where) => where.or([where("turn", "=", root), where("parent", "=", root)]))
    .execute();
}
