-- breaking: no
-- Roles, the tenant of a transaction, tenants and who belongs to them.

-- Both roles log in as nobody: the login of the process takes one for each transaction, and neither owns or bypasses anything.
DO $$
BEGIN
  -- Roles belong to the whole server: another database of it may make them at the same moment.
  PERFORM pg_advisory_xact_lock(hashtext('toolwright roles'));
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'toolwright_tenant') THEN
    CREATE ROLE toolwright_tenant NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'toolwright_system') THEN
    CREATE ROLE toolwright_system NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END
$$;
--> statement-breakpoint
DO $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('toolwright roles'));
  EXECUTE format('GRANT toolwright_tenant, toolwright_system TO %I', current_user);
EXCEPTION WHEN unique_violation THEN
  NULL;
END
$$;
--> statement-breakpoint
GRANT USAGE ON SCHEMA toolwright TO toolwright_tenant, toolwright_system;
--> statement-breakpoint
-- The tenant whose rows this transaction may see; null, and with it nothing, when none was set.
CREATE FUNCTION toolwright.current_tenant() RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('toolwright.tenant', true), '');
--> statement-breakpoint
-- Puts a table with a column "tenant" under row-level security: the tenant role sees rows of its tenant, the system role all.
CREATE PROCEDURE toolwright.protect_table(name text, tenant_may text DEFAULT 'SELECT, INSERT, UPDATE, DELETE') LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE toolwright.%I ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE toolwright.%I FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('CREATE POLICY own_tenant ON toolwright.%I TO toolwright_tenant USING (tenant = toolwright.current_tenant()) WITH CHECK (tenant = toolwright.current_tenant())', name);
  EXECUTE format('CREATE POLICY every_tenant ON toolwright.%I TO toolwright_system USING (true) WITH CHECK (true)', name);
  EXECUTE format('GRANT %s ON toolwright.%I TO toolwright_tenant', tenant_may, name);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON toolwright.%I TO toolwright_system', name);
END
$$;
--> statement-breakpoint
CREATE TABLE toolwright.tenants (
  tenant text PRIMARY KEY CHECK (tenant ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Nothing runs for a tenant that is suspended.
  suspended_at timestamptz
);
--> statement-breakpoint
CALL toolwright.protect_table('tenants', 'SELECT');
--> statement-breakpoint
INSERT INTO toolwright.tenants (tenant, name) VALUES ('default', 'Default');
--> statement-breakpoint
CREATE TABLE toolwright.agents (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  agent text NOT NULL CHECK (agent ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text NOT NULL,
  -- Feature flags by name (memory, knowledge); one that is false hides the tools of that feature.
  features jsonb NOT NULL DEFAULT '{}',
  -- True: only tools with a row in agent_tools are seen.
  restricted boolean NOT NULL DEFAULT false,
  -- True: other agents of the tenant may call it.
  accepts_agents boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, agent)
);
--> statement-breakpoint
CALL toolwright.protect_table('agents');
--> statement-breakpoint
-- One row for each area of a tenant that processes keep in memory; its revision rises with every change.
CREATE TABLE toolwright.revisions (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  area text NOT NULL,
  revision bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (tenant, area)
);
--> statement-breakpoint
CALL toolwright.protect_table('revisions');
