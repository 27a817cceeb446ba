-- breaking: no
-- Stems differ between majors of PostgreSQL: words that one made are not found by the words of a query that another one makes. So each text has the
-- major of the server that made its words, and those of another major are made anew. Of texts from before, nobody knows it.

CREATE FUNCTION toolwright.server_major() RETURNS int LANGUAGE sql STABLE AS $$
  SELECT current_setting('server_version_num')::int / 10000
$$;
--> statement-breakpoint
ALTER TABLE toolwright.memories ADD COLUMN words_major int;
--> statement-breakpoint
ALTER TABLE toolwright.memories ALTER COLUMN words_major SET DEFAULT toolwright.server_major();
--> statement-breakpoint
CREATE INDEX memories_words_major ON toolwright.memories (words_major);
--> statement-breakpoint
ALTER TABLE toolwright.chunks ADD COLUMN words_major int;
--> statement-breakpoint
ALTER TABLE toolwright.chunks ALTER COLUMN words_major SET DEFAULT toolwright.server_major();
--> statement-breakpoint
CREATE INDEX chunks_words_major ON toolwright.chunks (words_major);
--> statement-breakpoint
-- As before, and with the major. To replace it would be refused: what PostgreSQL checks of it is checked under the role that it takes.
DROP FUNCTION toolwright.save_memory;
--> statement-breakpoint
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
      expires_at = excluded.expires_at, names = excluded.names, words = excluded.words,
      words_major = excluded.words_major
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
