import type { CallUsage } from "@toolwright/engine";
import { sumBudgets, type TurnBudget, type TurnHold, type TurnNews } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { callFunction } from "../database/call-function.ts";
import type { Database } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { reserveBudget } from "./reserve-budget.ts";

interface Row extends Pick<TurnNews, "queued"> {
  readonly cancelReason: string | null;
  readonly parent: string | null;
  readonly usage: CallUsage;
  readonly hasChildren: boolean;
}

export async function readNews(database: Database, held: TurnHold, next: TurnBudget): Promise<TurnNews | undefined> {
  const { tenant, id, holder } = held;
  const row = await callFunction<Row | null>(database, sql`toolwright.read_news(${tenant}, ${storableText(id)}, ${holder})`);
  if (!row) return undefined;
  const { queued, cancelReason, parent, hasChildren, usage } = row;
  // Nobody shares the budget of a turn without sub-agents.
  const isAlone = parent === null && !hasChildren;
  const reserve = () => database.asTenant(tenant, (query) => reserveBudget(query, held, { root: parent ?? id, next }));
  const taken = isAlone ? sumBudgets([{ usage, reserved: {} }]) : await reserve();
  return { queued, taken, ...(cancelReason !== null && { cancelReason }) };
}
