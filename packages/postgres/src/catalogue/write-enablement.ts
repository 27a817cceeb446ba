import type { AgentName, AgentTool } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { requireAgent } from "./write-agents.ts";

/** Enabling by hand replaces the row that the agent was made with; undefined takes the row away, so that only skills speak. */
export async function setAgentTools(
  query: Query,
  { tenant, agent }: AgentName,
  tools: readonly string[],
  enabled: boolean | undefined,
): Promise<void> {
  await requireAgent(query, tenant, agent);
  if (enabled === undefined) {
    await sql`delete from toolwright.agent_tools where tenant = ${tenant} and agent = ${agent} and tool = any(${tools}::text[])`.execute(
      query,
    );
    return;
  }
  await sql`insert into toolwright.agent_tools (tenant, agent, tool, source, enabled)
    select ${tenant}, ${agent}, tool, 'manual', ${enabled} from unnest(${[...new Set(tools)]}::text[]) as given(tool)
    on conflict (tenant, agent, tool) do update set source = 'manual', enabled = excluded.enabled, updated_at = now()`.execute(query);
}

export async function setTenantTools(query: Query, tenant: string, tools: readonly string[], enabled: boolean | undefined): Promise<void> {
  if (enabled === undefined) {
    await sql`delete from toolwright.tenant_tools where tenant = ${tenant} and tool = any(${tools}::text[])`.execute(query);
    return;
  }
  await sql`insert into toolwright.tenant_tools (tenant, tool, enabled)
    select ${tenant}, tool, ${enabled} from unnest(${[...new Set(tools)]}::text[]) as given(tool)
    on conflict (tenant, tool) do update set enabled = excluded.enabled, updated_at = now()`.execute(query);
}

/** Every row that says something of the agent, by tool. */
export async function selectAgentTools(query: Query, { tenant, agent }: AgentName): Promise<readonly AgentTool[]> {
  await requireAgent(query, tenant, agent);
  const rows = await query
    .selectFrom("toolwright.agent_tool_sources")
    .select(["tool", "source", "skill", "enabled"])
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .orderBy("tool")
    .orderBy("source")
    .orderBy("skill")
    .execute();
  return rows.map(({ tool, source, skill, enabled }) => ({ tool, source, skill: skill ?? undefined, enabled }));
}
