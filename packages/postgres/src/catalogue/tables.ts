import type { AgentLimits } from "@toolwright/engine/ports";
import type { Generated, JSONColumnType } from "kysely";

type Text = string | null;
type JsonText = JSONColumnType<object>;
type OptionalJson = JSONColumnType<object | null, string | null, string | null>;

export interface CatalogueTables {
  "toolwright.agents": {
    tenant: string;
    agent: string;
    name: string;
    features: JSONColumnType<Record<string, boolean>, string | undefined, string>;
    restricted: Generated<boolean>;
    accepts_agents: Generated<boolean>;
    instructions: Generated<string>;
    model: Text;
    limits: JSONColumnType<AgentLimits, string | undefined, string>;
    created_at: Generated<Date>;
  };
  "toolwright.revisions": { tenant: string; area: string; revision: Generated<number> };
  "toolwright.code_tools": {
    tool: string;
    title: string;
    tool_group: string;
    origin: string;
    source: string;
    hash: string;
    body: string;
    schemas: string;
    first_seen_at: Date;
    last_seen_at: Date;
  };
  "toolwright.process_tools": { process: string; tools: string[]; seen_at: Date };
  "toolwright.tools": {
    tenant: string;
    tool: string;
    kind: "system_override" | "tenant_custom";
    title: Text;
    description: Text;
    tool_group: Text;
    approval: "auto" | "always_ask" | null;
    permission: Text;
    visibility: JsonText;
    limits: JsonText;
    input_schema: OptionalJson;
    output_schema: OptionalJson;
    execution: OptionalJson;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
    updated_by: string;
  };
  "toolwright.schema_contents": { tenant: string; hash: string; content: JsonText };
  "toolwright.schema_versions": {
    tenant: string;
    tool: string;
    version: number;
    input_hash: string;
    output_hash: string;
    created_at: Generated<Date>;
    created_by: string;
  };
  "toolwright.tenant_tools": { tenant: string; tool: string; enabled: boolean; updated_at: Generated<Date> };
  "toolwright.agent_tools": {
    tenant: string;
    agent: string;
    tool: string;
    source: "manual" | "default";
    enabled: boolean;
    updated_at: Generated<Date>;
  };
  "toolwright.agent_tool_sources": {
    tenant: string;
    agent: string;
    tool: string;
    source: "manual" | "default" | "skill";
    skill: Text;
    enabled: boolean;
  };
  "toolwright.skills": {
    tenant: string;
    skill: string;
    title: string;
    instructions: string;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  "toolwright.skill_tools": { tenant: string; skill: string; tool: string };
  "toolwright.agent_skills": { tenant: string; agent: string; skill: string; enabled_at: Generated<Date> };
}
