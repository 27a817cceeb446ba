-- breaking: no
-- What searches find by their words, by functions whose plans are kept: to plan such a query takes as long as to run it.

-- Who asks is found out once, not for each row that is looked at.
GRANT CREATE ON SCHEMA toolwright TO toolwright_system;
--> statement-breakpoint
CREATE OR REPLACE VIEW toolwright.memory_index AS
  SELECT owner, key, category, session, version, saved_at, expires_at, names, words FROM toolwright.memories
  WHERE tenant = (SELECT toolwright.current_tenant()) AND owner = (SELECT current_setting('toolwright.memory_owner', true));
--> statement-breakpoint
CREATE OR REPLACE VIEW toolwright.chunk_index AS
  SELECT kept.document, kept.chunk, kept.version, own.collection, kept.names, kept.words
  FROM toolwright.chunks AS kept JOIN toolwright.documents AS own
    ON own.tenant = kept.tenant AND own.document = kept.document AND own.version = kept.version
  WHERE kept.tenant = (SELECT toolwright.current_tenant()) AND own.tenant = (SELECT toolwright.current_tenant());
--> statement-breakpoint
REVOKE CREATE ON SCHEMA toolwright FROM toolwright_system;
--> statement-breakpoint
-- Makes a function that finds rows of a view by words. The view has a column "words" and keeps the tenant in its WHERE; `id` names a row, and
-- `condition` says which rows count, by the arguments of the function.
--
-- A sample tells how common each word is. What holds a rare one is found, and what holds all of them; of a common one only so much as there is room
-- for. What is found is weighed by all words. To read everything that holds a common word would take as long as to read everything.
--
-- What has few words, as most queries, is looked for by statements that have room for few, and a word that is its own stem is compared once.
CREATE PROCEDURE toolwright.make_search(name text, view text, id text, condition text, arguments text) LANGUAGE plpgsql AS $make$
DECLARE
  -- Most queries have few words, and a search that can have many takes longer to begin.
  few_words CONSTANT int := 8;
  most_words CONSTANT int := 32;
  words int;
  flags text;
  searches text[];
BEGIN
  FOREACH words IN ARRAY ARRAY[few_words, most_words] LOOP
    -- Which of the words a row holds, as bits. It ends with the last word.
    flags := '0';
    FOR at IN REVERSE words..1 LOOP
      flags := format('CASE WHEN asked_words < %s THEN 0 ELSE (CASE WHEN entry.words @@ asked[%s] THEN %s::bigint ELSE 0 END) + %s END', at, at, 1::bigint << (at - 1), flags);
    END LOOP;
    searches := searches || format($search$
      WITH sample AS MATERIALIZED (
        SELECT own, count(*)::float8 AS rows
        FROM (SELECT %4$s AS own FROM (SELECT entry.words FROM toolwright.%1$I AS entry WHERE %3$s LIMIT least(300, most_hits)) AS entry) AS looked GROUP BY own
      ), shared AS MATERIALIZED (
        SELECT at, '(' || asked[at]::text || ')' AS query, coalesce(
          (SELECT sum(rows) FILTER (WHERE own >> (at - 1) & 1 = 1) / sum(rows) FROM sample), 0) AS share
        FROM generate_series(1, asked_words) AS at WHERE numnode(asked[at]) > 0
      ), ordered AS MATERIALIZED (
        SELECT at, query, share, share * total AS usual, sum(share) OVER (ORDER BY share, at) * total AS reach,
          row_number() OVER (PARTITION BY share > 0 ORDER BY share, at) AS place
        FROM shared
      )
      SELECT
        (SELECT array_agg(ordered.usual ORDER BY at) FROM generate_series(1, asked_words) AS at LEFT JOIN ordered USING (at)),
        (SELECT array_agg(ordered.reach <= most_hits ORDER BY at) FROM generate_series(1, asked_words) AS at LEFT JOIN ordered USING (at)),
        nullif(concat_ws(' | ', string_agg(query, ' | ') FILTER (WHERE reach <= most_hits),
          CASE WHEN exp(sum(ln(share)) FILTER (WHERE share > 0)) * total <= most_hits
            THEN '(' || string_agg(query, ' & ') FILTER (WHERE share > 0) || ')' END), '')::tsquery,
        string_agg(query, ' | ') FILTER (
          WHERE reach > most_hits AND (place = 1 OR share < 0.5e0::float8 AND reach - ordered.usual < most_hits))::tsquery
      INTO usual, sure, telling, common FROM ordered;
      WITH hits AS MATERIALIZED (
        (SELECT %2$s AS id, %4$s AS own FROM toolwright.%1$I AS entry WHERE %3$s AND entry.words @@ telling LIMIT 2 * most_hits)
        UNION ALL
        (SELECT %2$s AS id, %4$s AS own FROM toolwright.%1$I AS entry
          WHERE %3$s AND entry.words @@ common AND (telling IS NULL OR NOT entry.words @@ telling) LIMIT most_hits)
      ), kinds AS MATERIALIZED (
        SELECT own, count(*) AS rows FROM hits GROUP BY own
      ), frequencies AS MATERIALIZED (
        SELECT at, CASE WHEN sure[at] THEN rows ELSE greatest(rows, usual[at]) END::int AS count
        FROM generate_series(1, asked_words) AS at CROSS JOIN LATERAL (
          SELECT coalesce(sum(rows), 0) AS rows FROM kinds WHERE own >> (at - 1) & 1 = 1
        ) AS held
      ), worths AS MATERIALIZED (
        SELECT own, (
          SELECT sum(ln(1e0::float8 + total::float8 / greatest(1, count))) FROM frequencies WHERE kinds.own >> (at - 1) & 1 = 1
        ) AS worth FROM kinds
      ), texts AS (
        SELECT id, worth FROM hits JOIN worths USING (own) ORDER BY worth DESC, id LIMIT most_texts
      )
      SELECT json_build_object('total', total,
        'texts', (SELECT coalesce(json_agg(id ORDER BY worth DESC, id), '[]') FROM texts),
        'frequencies', (SELECT coalesce(json_agg(count ORDER BY at), '[]') FROM frequencies)) INTO found;
    $search$, view, id, condition, flags);
  END LOOP;
  EXECUTE format($function$
    CREATE FUNCTION toolwright.%1$I(language text, quoted text[], most_hits int, most_texts int, most_counted int, is_narrow boolean, %4$s) RETURNS json
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $body$
    DECLARE
      configuration regconfig := toolwright.text_configuration(language);
      asked tsquery[];
      asked_words int := coalesce(array_length(quoted, 1), 0);
      total int;
      usual float8[];
      sure boolean[];
      telling tsquery;
      common tsquery;
      found json;
    BEGIN
      -- By the stems of the language, and as it stands; once where that is the same.
      SELECT array_agg(CASE WHEN stem = word THEN stem ELSE stem || word END ORDER BY at) INTO asked FROM (
        SELECT at, to_tsquery(configuration, given) AS stem, to_tsquery('pg_catalog.simple', given) AS word
        FROM unnest(quoted) WITH ORDINALITY AS list(given, at)) AS read;
      IF is_narrow THEN
        SELECT count(*) INTO total FROM (SELECT FROM toolwright.%2$I AS entry WHERE %3$s LIMIT most_counted) AS counted;
      ELSE
        SELECT count(*) INTO total FROM (SELECT FROM toolwright.%2$I LIMIT most_counted) AS counted;
      END IF;
      IF asked_words <= %5$s THEN
        %6$s
      ELSE
        %7$s
      END IF;
      RETURN found;
    END
    $body$
  $function$, name, view, condition, arguments, few_words, searches[1], searches[2]);
  EXECUTE format('REVOKE EXECUTE ON FUNCTION toolwright.%I FROM PUBLIC', name);
  EXECUTE format('GRANT EXECUTE ON FUNCTION toolwright.%I TO toolwright_tenant', name);
END
$make$;
--> statement-breakpoint
CALL toolwright.make_search('find_memories', 'memory_index', 'entry.key',
  $$(entry.expires_at IS NULL OR entry.expires_at > moment) AND (entry.category <> 'conversation' OR entry.session = of_session)
    AND (of_category IS NULL OR entry.category = of_category)$$,
  'moment timestamptz, of_session text, of_category text');
--> statement-breakpoint
CALL toolwright.make_search('find_chunks', 'chunk_index', $$entry.document || ' ' || entry.chunk$$,
  '(of_collection IS NULL OR entry.collection = of_collection)', 'of_collection text');
--> statement-breakpoint
-- What words find, with what was saved, in one way to the database and back: under the role of the tenant, for those entries of an owner that a finder
-- counts. Times are milliseconds since 1970.
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
      'memories', coalesce(json_agg(memory), '[]'))
    FROM (SELECT key, content, category, trust, sources, session, version, date_part('epoch', created_at) * 1000 AS "createdAt",
        date_part('epoch', saved_at) * 1000 AS "savedAt", date_part('epoch', expires_at) * 1000 AS "expiresAt"
      FROM toolwright.memories
      WHERE tenant = of_tenant AND owner = of_owner AND key = ANY(keys) AND (expires_at IS NULL OR expires_at > moment)) AS memory);
END
$$;
--> statement-breakpoint
-- It takes the role of any tenant: for the login of the process alone.
REVOKE EXECUTE ON FUNCTION toolwright.search_memories FROM PUBLIC;
