import type { TenantTool, TenantToolRows, ToolOverride } from "@toolwright/engine/catalogue";
import type { AgentToolRow } from "@toolwright/engine/ports";
import type { AgentRow, CatalogueRows, SourceRow, ToolRow } from "./read-catalogue.ts";

export interface AgentFacts {
  readonly restricted: boolean;
  readonly acceptsAgents: boolean;
  readonly featuresOff: ReadonlySet<string>;
  readonly tools: ReadonlyMap<string, AgentToolRow>;
}

/** What rows say of one tenant at one revision. */
export interface TenantFacts {
  readonly revision: number;
  readonly tenantRows: ReadonlyMap<string, "on" | "off">;
  readonly agents: ReadonlyMap<string, AgentFacts>;
  /** The same object as before while its rows are equal. */
  readonly tools: TenantToolRows;
}

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
        tools: keepEqual(makeToolRows(tools.get(tenant) ?? []), before(tenant)?.tools),
      },
    ]),
  );
}

function keepEqual(next: TenantToolRows, last: TenantToolRows | undefined): TenantToolRows {
  return last && JSON.stringify(last) === JSON.stringify(next) ? last : next;
}

function makeAgents(agents: readonly AgentRow[], sources: readonly SourceRow[]): ReadonlyMap<string, AgentFacts> {
  const byAgent = Map.groupBy(sources, ({ agent }) => agent);
  return new Map(
    agents.map(({ agent, restricted, accepts_agents, features }) => [
      agent,
      {
        restricted,
        acceptsAgents: accepts_agents,
        featuresOff: new Set(Object.keys(features).filter((feature) => features[feature] === false)),
        tools: new Map(
          [...Map.groupBy(byAgent.get(agent) ?? [], ({ tool }) => tool)].map(([tool, some]) => [tool, judgeSources(agent, some)]),
        ),
      },
    ]),
  );
}

/** A row that switches off wins; what enables is told whole, so that nobody disables one source and wonders. */
export function judgeSources(agent: string, sources: readonly Pick<SourceRow, "source" | "skill" | "enabled">[]): AgentToolRow {
  if (sources.some(({ enabled }) => !enabled))
    return { enabled: false, reason: `It is switched off for agent "${agent}". Enable it on the agent.` };
  const skills = sources.flatMap(({ skill }) => (skill === null ? [] : [`"${skill}"`]));
  const reasons = sources.flatMap(({ source }) =>
    source === "manual" ? ["somebody enabled it"] : source === "default" ? ["the agent was made with it"] : [],
  );
  if (skills.length > 0) reasons.push(`it is needed by skill ${skills.join(", ")}`);
  return { enabled: true, reason: `It is enabled for agent "${agent}": ${reasons.join(", and ")}.` };
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
export function toTenantTool(row: ToolRow): TenantTool {
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
