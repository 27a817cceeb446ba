import type { Json, JsonObject, ToolLimits, ToolVisibility } from "@toolwright/engine";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";

export interface ToolRow {
  readonly tenant: string;
  readonly tool: string;
  readonly kind: "system_override" | "tenant_custom";
  readonly title: string | null;
  readonly description: string | null;
  readonly tool_group: string | null;
  readonly approval: "auto" | "always_ask" | null;
  readonly permission: string | null;
  readonly visibility: Pick<ToolVisibility, "optIn" | "feature">;
  readonly limits: ToolLimits;
  readonly input_schema: JsonObject | null;
  readonly output_schema: JsonObject | null;
  readonly execution: Json;
}

export interface AgentRow {
  readonly tenant: string;
  readonly agent: string;
  readonly features: Readonly<Record<string, boolean>>;
  readonly restricted: boolean;
  readonly accepts_agents: boolean;
}

export interface SourceRow {
  readonly tenant: string;
  readonly agent: string;
  readonly tool: string;
  readonly source: "manual" | "default" | "skill";
  readonly skill: string | null;
  readonly enabled: boolean;
}

export interface CatalogueRows {
  readonly revisions: readonly { readonly tenant: string; readonly revision: number }[];
  readonly tools: readonly ToolRow[];
  readonly tenantTools: readonly { readonly tenant: string; readonly tool: string; readonly enabled: boolean }[];
  readonly agents: readonly AgentRow[];
  readonly sources: readonly SourceRow[];
}

/** All that processes keep in memory of these tenants. One statement, and so one moment: no half of a change is ever seen. */
export async function readCatalogue(query: Query, tenants: readonly string[]): Promise<CatalogueRows> {
  const these = sql`where tenant = any(${tenants}::text[])`;
  const { rows } = await sql<{ [Name in keyof CatalogueRows]: CatalogueRows[Name] | null }>`select
    (select json_agg(r) from (select tenant, revision from toolwright.revisions ${these} and area = 'catalogue') r) as revisions,
    (select json_agg(r) from (select tenant, tool, kind, title, description, tool_group, approval, permission, visibility, limits,
      input_schema, output_schema, execution from toolwright.tools ${these} order by tool) r) as tools,
    (select json_agg(r) from (select tenant, tool, enabled from toolwright.tenant_tools ${these}) r) as "tenantTools",
    (select json_agg(r) from (select tenant, agent, features, restricted, accepts_agents from toolwright.agents ${these}) r) as agents,
    (select json_agg(r) from (select tenant, agent, tool, source, skill, enabled from toolwright.agent_tool_sources ${these} order by skill) r)
      as sources`.execute(query);
  const read = rows[0];
  return {
    revisions: read?.revisions ?? [],
    tools: read?.tools ?? [],
    tenantTools: read?.tenantTools ?? [],
    agents: read?.agents ?? [],
    sources: read?.sources ?? [],
  };
}
