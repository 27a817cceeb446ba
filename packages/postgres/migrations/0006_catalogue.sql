-- breaking: no
-- Tools of code as this database last knew them, what tenants change of them and add to them, who has which, and skills.

-- One row for each tool that comes with code. They belong to no tenant, and some are for some tenants only: none may read them.
CREATE TABLE toolwright.code_tools (
  tool text PRIMARY KEY,
  title text NOT NULL,
  tool_group text NOT NULL,
  -- builtin, pack or embedder, and the file or name that it came from.
  origin text NOT NULL,
  source text NOT NULL,
  hash text NOT NULL,
  -- The hash without name and place: equal for a tool that was only renamed.
  body text NOT NULL,
  -- Of the input and the output schema.
  schemas text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL
);
--> statement-breakpoint
ALTER TABLE toolwright.code_tools ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE toolwright.code_tools FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY system_only ON toolwright.code_tools TO toolwright_system USING (true) WITH CHECK (true);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON toolwright.code_tools TO toolwright_system;
--> statement-breakpoint
-- What each running process serves: a tool is gone when no process that was heard of lately has it.
CREATE TABLE toolwright.process_tools (
  process text PRIMARY KEY,
  tools text[] NOT NULL,
  seen_at timestamptz NOT NULL
);
--> statement-breakpoint
ALTER TABLE toolwright.process_tools ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE toolwright.process_tools FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY system_only ON toolwright.process_tools TO toolwright_system USING (true) WITH CHECK (true);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON toolwright.process_tools TO toolwright_system;
--> statement-breakpoint
CREATE TABLE toolwright.tools (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  tool text NOT NULL CHECK (tool ~ '^[a-z][a-z0-9_-]{0,63}$'),
  -- system_override: what the tenant changes of a tool of code. tenant_custom: a tool of its own.
  kind text NOT NULL CHECK (kind IN ('system_override', 'tenant_custom')),
  title text,
  description text,
  tool_group text,
  approval text CHECK (approval IN ('auto', 'always_ask')),
  permission text,
  visibility jsonb NOT NULL DEFAULT '{}',
  limits jsonb NOT NULL DEFAULT '{}',
  -- json and not jsonb: the order of members is the order in which forms show them.
  input_schema json,
  output_schema json,
  execution json,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by text NOT NULL,
  PRIMARY KEY (tenant, kind, tool),
  CHECK (kind = 'tenant_custom' OR (input_schema IS NULL AND output_schema IS NULL AND execution IS NULL AND approval IS DISTINCT FROM 'auto')),
  CHECK (kind = 'system_override' OR (title IS NOT NULL AND description IS NOT NULL AND tool_group IS NOT NULL AND approval IS NOT NULL
    AND input_schema IS NOT NULL AND output_schema IS NOT NULL AND execution IS NOT NULL))
);
--> statement-breakpoint
CALL toolwright.protect_table('tools');
--> statement-breakpoint
CREATE POLICY of_all_tenants ON toolwright.tools FOR SELECT TO toolwright_tenant USING (tenant = 'default' AND kind = 'system_override');
--> statement-breakpoint
-- Schemas by their content; none is ever changed or removed.
CREATE TABLE toolwright.schema_contents (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  hash text NOT NULL,
  content json NOT NULL,
  PRIMARY KEY (tenant, hash)
);
--> statement-breakpoint
CALL toolwright.protect_table('schema_contents', 'SELECT, INSERT');
--> statement-breakpoint
-- The schemas that a tenant's tool had, one after the other; they outlive the tool.
CREATE TABLE toolwright.schema_versions (
  tenant text NOT NULL,
  tool text NOT NULL,
  version bigint NOT NULL,
  input_hash text NOT NULL,
  output_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by text NOT NULL,
  PRIMARY KEY (tenant, tool, version),
  FOREIGN KEY (tenant, input_hash) REFERENCES toolwright.schema_contents ON DELETE CASCADE,
  FOREIGN KEY (tenant, output_hash) REFERENCES toolwright.schema_contents ON DELETE CASCADE
);
--> statement-breakpoint
CALL toolwright.protect_table('schema_versions', 'SELECT, INSERT');
--> statement-breakpoint
-- Tools that a tenant switched on or off. Rows of the tenant "default" hold for every tenant that has none of its own.
CREATE TABLE toolwright.tenant_tools (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  tool text NOT NULL,
  enabled boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, tool)
);
--> statement-breakpoint
CALL toolwright.protect_table('tenant_tools');
--> statement-breakpoint
CREATE POLICY of_all_tenants ON toolwright.tenant_tools FOR SELECT TO toolwright_tenant USING (tenant = 'default');
--> statement-breakpoint
-- manual: somebody switched it. default: the agent was made with it. What skills enable is in the view below and never stored twice.
CREATE TABLE toolwright.agent_tools (
  tenant text NOT NULL,
  agent text NOT NULL,
  tool text NOT NULL,
  source text NOT NULL CHECK (source IN ('manual', 'default')),
  -- False: hidden from the agent, whatever its skills need.
  enabled boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, agent, tool),
  FOREIGN KEY (tenant, agent) REFERENCES toolwright.agents ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX agent_tools_by_tool ON toolwright.agent_tools (tool);
--> statement-breakpoint
CALL toolwright.protect_table('agent_tools');
--> statement-breakpoint
CREATE TABLE toolwright.skills (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  skill text NOT NULL CHECK (skill ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  title text NOT NULL,
  -- Markdown that an agent reads.
  instructions text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, skill)
);
--> statement-breakpoint
CALL toolwright.protect_table('skills');
--> statement-breakpoint
CREATE TABLE toolwright.skill_tools (
  tenant text NOT NULL,
  skill text NOT NULL,
  tool text NOT NULL,
  PRIMARY KEY (tenant, skill, tool),
  FOREIGN KEY (tenant, skill) REFERENCES toolwright.skills ON DELETE CASCADE
);
--> statement-breakpoint
CALL toolwright.protect_table('skill_tools');
--> statement-breakpoint
CREATE TABLE toolwright.agent_skills (
  tenant text NOT NULL,
  agent text NOT NULL,
  skill text NOT NULL,
  enabled_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, agent, skill),
  FOREIGN KEY (tenant, agent) REFERENCES toolwright.agents ON DELETE CASCADE,
  FOREIGN KEY (tenant, skill) REFERENCES toolwright.skills ON DELETE CASCADE
);
--> statement-breakpoint
CALL toolwright.protect_table('agent_skills');
--> statement-breakpoint
-- Every row that says something of a tool for an agent, with its source. With the rights of who asks, so that row-level security holds.
CREATE VIEW toolwright.agent_tool_sources WITH (security_invoker = true) AS
  SELECT tenant, agent, tool, source, NULL::text AS skill, enabled FROM toolwright.agent_tools
  UNION ALL
  SELECT tenant, agent, needed.tool, 'skill', needed.skill, true
  FROM toolwright.agent_skills JOIN toolwright.skill_tools AS needed USING (tenant, skill);
--> statement-breakpoint
GRANT SELECT ON toolwright.agent_tool_sources TO toolwright_tenant, toolwright_system;
--> statement-breakpoint
-- Raises the revision of each tenant whose rows a statement changed, in the transaction that changes them: what a process keeps in memory
-- is then known to be old, whoever wrote.
CREATE FUNCTION toolwright.count_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO toolwright.revisions AS kept (tenant, area)
    SELECT DISTINCT changed.tenant, TG_ARGV[0] FROM changed
    -- A tenant that is being removed takes its revisions along.
    WHERE EXISTS (SELECT FROM toolwright.tenants AS living WHERE living.tenant = changed.tenant)
    ORDER BY 1
    ON CONFLICT (tenant, area) DO UPDATE SET revision = kept.revision + 1;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE PROCEDURE toolwright.count_changes(name text, area text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER count_insert AFTER INSERT ON toolwright.%I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION toolwright.count_change(%L)', name, area);
  EXECUTE format('CREATE TRIGGER count_update AFTER UPDATE ON toolwright.%I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION toolwright.count_change(%L)', name, area);
  EXECUTE format('CREATE TRIGGER count_delete AFTER DELETE ON toolwright.%I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION toolwright.count_change(%L)', name, area);
END
$$;
--> statement-breakpoint
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['agents', 'tools', 'tenant_tools', 'agent_tools', 'skills', 'skill_tools', 'agent_skills'] LOOP
    CALL toolwright.count_changes(name, 'catalogue');
  END LOOP;
END
$$;
