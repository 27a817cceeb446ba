-- breaking: no
-- What words find comes with what was saved, in one way to the database and back.

-- Under the role of the tenant, for those entries of an owner that a finder counts. Times are milliseconds since 1970.
CREATE FUNCTION toolwright.search_memories(
  of_tenant text, of_owner text, language text, quoted text[], most_hits int, most_texts int, most_counted int, is_narrow boolean,
  moment timestamptz, of_session text, of_category text
) RETURNS json LANGUAGE plpgsql SET role = 'toolwright_tenant' SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  found json;
  keys text[];
BEGIN
  PERFORM set_config('toolwright.tenant', of_tenant, true), set_config('toolwright.memory_owner', of_owner, true);
  found := toolwright.find_memories(language, quoted, most_hits, most_texts, most_counted, is_narrow, moment, of_session, of_category);
  keys := ARRAY(SELECT json_array_elements_text(found -> 'texts'));
  RETURN (SELECT json_build_object('texts', found -> 'texts', 'frequencies', found -> 'frequencies', 'total', found -> 'total',
      'memories', coalesce(json_agg(json_build_object('key', key, 'content', content, 'category', category, 'trust', trust, 'sources', sources,
        'session', session, 'version', version, 'createdAt', date_part('epoch', created_at) * 1000,
        'savedAt', date_part('epoch', saved_at) * 1000, 'expiresAt', date_part('epoch', expires_at) * 1000)), '[]'))
    FROM toolwright.memories
    WHERE tenant = of_tenant AND owner = of_owner AND key = ANY(keys) AND (expires_at IS NULL OR expires_at > moment));
END
$$;
--> statement-breakpoint
-- It takes the role of any tenant: for the login of the process alone.
REVOKE EXECUTE ON FUNCTION toolwright.search_memories FROM PUBLIC;
