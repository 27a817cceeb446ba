import type { TurnBudget } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";

interface TakenFilter {
  readonly agent: string;
  readonly since: number;
}

export async function readTaken(query: Query, tenant: string, filter: TakenFilter): Promise<TurnBudget> {
  const { tokens, cost } = await selectTaken(query, tenant, filter).executeTakeFirstOrThrow();
  return { tokens: Number(tokens), cost: Number(cost) };
}

/** Exported so that its plan can be looked at. */
export function selectTaken(query: Query, tenant: string, { agent, since }: TakenFilter) {
  const count = (name: string) => sql`coalesce((usage ->> ${name})::numeric, 0)`;
  return query
    .selectFrom("toolwright.turns")
    .select([
      sql<string>`coalesce(sum(${count("inputTokens")} + ${count("outputTokens")}), 0)`.as("tokens"),
      sql<string>`coalesce(sum(${count("cost")}), 0)`.as("cost"),
    ])
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .where("created_at", ">=", new Date(since));
}
