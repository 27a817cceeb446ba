import { type Agent, type AgentChanges, type AgentName, catalogueMissing, catalogueTaken, settingsOf } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";

/** Rejects with `catalogue_refused` when the name is taken. `tools` are enabled with source `default`. */
export async function insertAgent(query: Query, tenant: string, agent: Agent, tools: readonly string[]): Promise<void> {
  const { restricted, acceptsAgents, instructions = "", model, limits = {} } = agent;
  const { numInsertedOrUpdatedRows } = await query
    .insertInto("toolwright.agents")
    .values({
      tenant,
      agent: agent.agent,
      name: agent.name,
      restricted,
      accepts_agents: acceptsAgents,
      features: JSON.stringify(agent.features),
      instructions,
      model: model || null,
      limits: JSON.stringify(limits),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw catalogueTaken("agent", agent.agent);
  if (tools.length === 0) return;
  const rows = tools.map((tool) => ({ tenant, agent: agent.agent, tool, source: "default" as const, enabled: true }));
  await query.insertInto("toolwright.agent_tools").values(rows).execute();
}

export async function updateAgent(query: Query, { tenant, agent }: AgentName, changes: AgentChanges): Promise<void> {
  const { name, restricted, acceptsAgents, features, instructions, model, limits, clear = [] } = changes;
  await requireAgent(query, tenant, agent);
  await query
    .updateTable("toolwright.agents")
    .set({
      agent,
      ...(name !== undefined && { name }),
      ...(restricted !== undefined && { restricted }),
      ...(acceptsAgents !== undefined && { accepts_agents: acceptsAgents }),
      ...(instructions !== undefined && { instructions }),
      ...(model !== undefined && { model: model || null }),
      // What is not named stays as it is.
      ...((limits || clear.length > 0) && { limits: sql<string>`(limits - ${clear}::text[]) || ${JSON.stringify(limits ?? {})}::jsonb` }),
      ...(features && { features: sql<string>`features || ${JSON.stringify(features)}::jsonb` }),
    })
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .execute();
}

export async function selectAgents(query: Query, tenant: string): Promise<readonly Agent[]> {
  const rows = await query.selectFrom("toolwright.agents").selectAll().where("tenant", "=", tenant).orderBy("agent").execute();
  return rows.map(({ agent, name, features, restricted, accepts_agents, instructions, model, limits }) => ({
    ...{ agent, name, features, restricted, acceptsAgents: accepts_agents },
    ...settingsOf({ instructions, model, limits }),
  }));
}

/** Rejects with `catalogue_not_found`; otherwise the agent cannot go before the transaction ends. */
export async function requireAgent(query: Query, tenant: string, agent: string): Promise<void> {
  const row = await query
    .selectFrom("toolwright.agents")
    .select("agent")
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .forKeyShare()
    .executeTakeFirst();
  if (!row) throw catalogueMissing("agent", agent);
}
