import { ToolwrightError } from "@toolwright/engine";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";

export interface Agent {
  readonly agent: string;
  readonly name: string;
  readonly features: Readonly<Record<string, boolean>>;
  readonly restricted: boolean;
  readonly acceptsAgents: boolean;
}

export type AgentChanges = Partial<Omit<Agent, "agent">>;

const namePattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Throws `catalogue_refused` for a name that cannot be one. */
export function checkName(kind: "agent" | "skill", name: string): void {
  if (namePattern.test(name)) return;
  throw new ToolwrightError(
    "catalogue_refused",
    `${JSON.stringify(name.slice(0, 80))} cannot name an ${kind}. Use a-z, 0-9 and "-", at most 63, the first a letter or digit.`.replace(
      "an skill",
      "a skill",
    ),
  );
}

/** Rejects with `catalogue_refused` when the name is taken. `tools` are enabled with source `default`. */
export async function insertAgent(query: Query, tenant: string, agent: Agent, tools: readonly string[]): Promise<void> {
  const { restricted, acceptsAgents } = agent;
  const { numInsertedOrUpdatedRows } = await query
    .insertInto("toolwright.agents")
    .values({
      tenant,
      agent: agent.agent,
      name: agent.name,
      restricted,
      accepts_agents: acceptsAgents,
      features: JSON.stringify(agent.features),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n)
    throw new ToolwrightError(
      "catalogue_refused",
      `There is an agent "${agent.agent}" already. Change it with: toolwright agents set ${agent.agent}`,
    );
  if (tools.length === 0) return;
  const rows = tools.map((tool) => ({ tenant, agent: agent.agent, tool, source: "default" as const, enabled: true }));
  await query.insertInto("toolwright.agent_tools").values(rows).execute();
}

export async function updateAgent(
  query: Query,
  { tenant, agent }: { tenant: string; agent: string },
  changes: AgentChanges,
): Promise<void> {
  const { name, restricted, acceptsAgents, features } = changes;
  await requireAgent(query, tenant, agent);
  await query
    .updateTable("toolwright.agents")
    .set({
      agent,
      ...(name !== undefined && { name }),
      ...(restricted !== undefined && { restricted }),
      ...(acceptsAgents !== undefined && { accepts_agents: acceptsAgents }),
      // Flags that are not named stay as they are.
      ...(features && { features: sql<string>`features || ${JSON.stringify(features)}::jsonb` }),
    })
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .execute();
}

export async function selectAgents(query: Query, tenant: string): Promise<readonly Agent[]> {
  const rows = await query.selectFrom("toolwright.agents").selectAll().where("tenant", "=", tenant).orderBy("agent").execute();
  return rows.map(({ agent, name, features, restricted, accepts_agents }) => ({
    agent,
    name,
    features,
    restricted,
    acceptsAgents: accepts_agents,
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
  if (!row)
    throw new ToolwrightError("catalogue_not_found", `There is no agent ${JSON.stringify(agent)}. See them with: toolwright agents list`);
}
