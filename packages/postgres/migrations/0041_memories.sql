-- breaking: no
-- What agents and people remember, and how texts are found by words, names and likeness.

-- Likeness of names needs an extension that comes with PostgreSQL. Without it, searches go by words alone and say so. In a schema that our roles
-- may use, whatever else the database keeps elsewhere.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
    CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA toolwright;
  END IF;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
  NULL;
END
$$;
--> statement-breakpoint
-- The configuration of a language; the simple one for a language that this PostgreSQL does not know.
CREATE FUNCTION toolwright.text_configuration(language text) RETURNS regconfig LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    (SELECT oid::regconfig FROM pg_catalog.pg_ts_config WHERE cfgname = language AND cfgnamespace = 'pg_catalog'::regnamespace),
    'pg_catalog.simple'::regconfig)
$$;
--> statement-breakpoint
-- A folded text as it is found: by the stems of its language, and by its words as they stand.
CREATE FUNCTION toolwright.words_of(language text, folded text) RETURNS tsvector LANGUAGE sql STABLE AS $$
  SELECT to_tsvector(toolwright.text_configuration(language), folded) || to_tsvector('pg_catalog.simple', folded)
$$;
--> statement-breakpoint
-- Indexes a column of names, where the database compares them.
CREATE PROCEDURE toolwright.index_names(name text) LANGUAGE plpgsql AS $$
DECLARE
  place text;
BEGIN
  SELECT n.nspname INTO place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
  IF FOUND THEN
    EXECUTE format('CREATE INDEX %I ON toolwright.%I USING gin (names %I.gin_trgm_ops) WITH (fastupdate = off)', name || '_names', name, place);
  END IF;
END
$$;
--> statement-breakpoint
CREATE TABLE toolwright.memories (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  owner text NOT NULL,
  key text NOT NULL,
  category text NOT NULL CHECK (category IN ('core', 'daily', 'conversation')),
  -- A string of JSON: it may hold characters that text refuses.
  content json NOT NULL,
  trust text NOT NULL CHECK (trust IN ('foreign', 'agent', 'person')),
  sources json NOT NULL,
  by json NOT NULL,
  -- Of an entry that goes with its session.
  session text,
  version int NOT NULL,
  created_at timestamptz NOT NULL,
  saved_at timestamptz NOT NULL,
  expires_at timestamptz,
  -- What the entry is found by.
  names text NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (tenant, owner, key)
);
--> statement-breakpoint
-- Written at once: nothing in an embedded database would work off what waits.
CREATE INDEX memories_words ON toolwright.memories USING gin (words) WITH (fastupdate = off);
--> statement-breakpoint
CALL toolwright.index_names('memories');
--> statement-breakpoint
CREATE INDEX memories_over ON toolwright.memories (expires_at) WHERE expires_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX memories_of_session ON toolwright.memories (tenant, session) WHERE session IS NOT NULL;
--> statement-breakpoint
CALL toolwright.protect_table('memories');
--> statement-breakpoint
CREATE TABLE toolwright.memory_versions (
  tenant text NOT NULL,
  owner text NOT NULL,
  key text NOT NULL,
  version int NOT NULL,
  category text NOT NULL,
  content json NOT NULL,
  trust text NOT NULL,
  sources json NOT NULL,
  by json NOT NULL,
  saved_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, owner, key, version),
  FOREIGN KEY (tenant, owner, key) REFERENCES toolwright.memories (tenant, owner, key) ON DELETE CASCADE
);
--> statement-breakpoint
CALL toolwright.protect_table('memory_versions');
--> statement-breakpoint
-- Within a tenant, a transaction sees the memories of one owner; of all where it says so.
CREATE FUNCTION toolwright.is_memory_owner(owner text) RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN owner = current_setting('toolwright.memory_owner', true) OR current_setting('toolwright.memory_owner', true) = '*';
--> statement-breakpoint
CREATE POLICY own_memories ON toolwright.memories AS RESTRICTIVE TO toolwright_tenant
  USING (toolwright.is_memory_owner(owner)) WITH CHECK (toolwright.is_memory_owner(owner));
--> statement-breakpoint
CREATE POLICY own_memories ON toolwright.memory_versions AS RESTRICTIVE TO toolwright_tenant
  USING (toolwright.is_memory_owner(owner)) WITH CHECK (toolwright.is_memory_owner(owner));
--> statement-breakpoint
-- Behind the policy of a table, PostgreSQL uses no index of words: it would have to run operators on rows of others first. The view belongs to the
-- role that sees all rows, and holds what the policies hold.
CREATE VIEW toolwright.memory_index AS
  SELECT owner, key, category, session, version, saved_at, expires_at, names, words FROM toolwright.memories
  WHERE tenant = toolwright.current_tenant() AND owner = current_setting('toolwright.memory_owner', true);
--> statement-breakpoint
GRANT SELECT ON toolwright.memory_index TO toolwright_tenant;
--> statement-breakpoint
-- To own something in a schema takes the right to create there.
GRANT CREATE ON SCHEMA toolwright TO toolwright_system;
--> statement-breakpoint
ALTER VIEW toolwright.memory_index OWNER TO toolwright_system;
--> statement-breakpoint
REVOKE CREATE ON SCHEMA toolwright FROM toolwright_system;
--> statement-breakpoint
-- Keeps a version of an entry under the role of the tenant; the row lock puts saves of one key in an order. Times are milliseconds since 1970. An entry
-- that is over is as if it had not been.
CREATE FUNCTION toolwright.save_memory(
  of_tenant text, of_owner text, of_key text, new_category text, new_content json, new_trust text, new_sources json, new_by json,
  of_session text, at bigint, until bigint, language text, folded text, new_names text
) RETURNS int LANGUAGE plpgsql SET role = 'toolwright_tenant' AS $$
DECLARE
  saved_time timestamptz := to_timestamp(at / 1000e0::float8);
  saved_version int;
BEGIN
  PERFORM set_config('toolwright.tenant', of_tenant, true), set_config('toolwright.memory_owner', of_owner, true);
  DELETE FROM toolwright.memories AS kept
    WHERE kept.tenant = of_tenant AND kept.owner = of_owner AND kept.key = of_key AND kept.expires_at <= saved_time;
  INSERT INTO toolwright.memories AS kept
      (tenant, owner, key, category, content, trust, sources, by, session, version, created_at, saved_at, expires_at, names, words)
    VALUES (of_tenant, of_owner, of_key, new_category, new_content, new_trust, new_sources, new_by, of_session, 1, saved_time, saved_time,
      to_timestamp(until / 1000e0::float8), new_names, toolwright.words_of(language, folded))
    ON CONFLICT (tenant, owner, key) DO UPDATE SET category = excluded.category, content = excluded.content, trust = excluded.trust,
      sources = excluded.sources, by = excluded.by, session = excluded.session, version = kept.version + 1, saved_at = excluded.saved_at,
      expires_at = excluded.expires_at, names = excluded.names, words = excluded.words
    RETURNING kept.version INTO saved_version;
  INSERT INTO toolwright.memory_versions (tenant, owner, key, version, category, content, trust, sources, by, saved_at)
    VALUES (of_tenant, of_owner, of_key, saved_version, new_category, new_content, new_trust, new_sources, new_by, saved_time);
  DELETE FROM toolwright.memory_versions AS kept
    WHERE kept.tenant = of_tenant AND kept.owner = of_owner AND kept.key = of_key AND kept.version <= saved_version - 20;
  RETURN saved_version;
END
$$;
--> statement-breakpoint
-- It takes the role of any tenant: for the login of the process alone.
REVOKE EXECUTE ON FUNCTION toolwright.save_memory FROM PUBLIC;
