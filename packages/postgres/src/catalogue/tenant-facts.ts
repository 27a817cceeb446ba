import type { TenantTool, TenantToolRows, ToolOverride } from "@toolwright/engine/catalogue";
import { type AgentFacts, keepEqualRows, type TenantFacts, toAgentFacts } from "@toolwright/engine/ports";
import type { AgentRow, CatalogueRows, SourceRow, ToolRow } from "./read-catalogue.ts";

/** Rows by tenant, in the form that answers fast. `before` gives what was known of a tenant. */
export function makeFacts(
  rows: CatalogueRows,
  before: (tenant: string) => TenantFacts | undefined = () => undefined,
): ReadonlyMap<string, TenantFacts> {
  const tools = Map.groupBy(rows.tools, ({ tenant }) => tenant);
  const tenantTools = Map.groupBy(rows.tenantTools, ({ tenant }) => tenant);
  const agents = Map.groupBy(rows.agents, ({ tenant }) => tenant);
  const sources = Map.groupBy(rows.sources, ({ tenant }) => tenant);
  return new Map(
    rows.revisions.map(({ tenant, revision }) => [
      tenant,
      {
        revision,
        tenantRows: new Map((tenantTools.get(tenant) ?? []).map(({ tool, enabled }) => [tool, enabled ? "on" : "off"] as const)),
        agents: makeAgents(agents.get(tenant) ?? [], sources.get(tenant) ?? []),
        tools: keepEqualRows(makeToolRows(tools.get(tenant) ?? []), before(tenant)?.tools),
      },
    ]),
  );
}

function makeAgents(agents: readonly AgentRow[], sources: readonly SourceRow[]): ReadonlyMap<string, AgentFacts> {
  const byAgent = Map.groupBy(sources, ({ agent }) => agent);
  return new Map(
    agents.map(({ accepts_agents, ...agent }) => {
      const rows = (byAgent.get(agent.agent) ?? []).map((row) => ({ ...row, skill: row.skill ?? undefined }));
      return [agent.agent, toAgentFacts({ ...agent, acceptsAgents: accepts_agents }, rows)];
    }),
  );
}

export function makeToolRows(rows: readonly ToolRow[]): TenantToolRows {
  return {
    overrides: rows.filter(({ kind }) => kind === "system_override").map(toOverride),
    custom: rows.filter(({ kind }) => kind === "tenant_custom").map(toTenantTool),
  };
}

function toOverride({ tool, title, description, approval, visibility, limits }: ToolRow): ToolOverride {
  return {
    tool,
    ...(title !== null && { title }),
    ...(description !== null && { description }),
    ...(approval === "always_ask" && { approval }),
    visibility,
    limits,
  };
}

/** The table's own check holds that a tenant's tool has all of these. */
function toTenantTool(row: ToolRow): TenantTool {
  return {
    tool: row.tool,
    title: row.title as string,
    group: row.tool_group as string,
    description: row.description as string,
    inputSchema: row.input_schema ?? {},
    outputSchema: row.output_schema ?? {},
    approval: row.approval ?? "always_ask",
    ...(row.permission !== null && { permission: row.permission }),
    visibility: row.visibility,
    limits: row.limits,
    execution: row.execution,
  };
}
