-- breaking: no
-- Writing to the log at two thirds of the cost: who writes hashes the chain, and what many events of a batch share comes once.

-- Stores events of one tenant, in order, under the role of that tenant: one statement, so one way to the database and back.
--
-- `sessions` are those of the batch, each once: with the times of its first and last event in it, the event that it ends with, and the head
-- of its chain (sequence and hash, 0 and '' for a new one) as the writer knows it. `types` to `sources` are the different sets of facts that
-- its events have. Each event names its session, its facts, its rank within the session and the event before it there (0 for none), all from
-- 1. Times are milliseconds since 1970, which are read faster than dates. `digests` are SHA-256 of each event's canonical JSON; `hashes`
-- continue the chains from the heads that were given: SHA-256 of previous, sequence and digest, one a line. Where another writer has moved a
-- head they are worked out here, and the new heads are the answer.
CREATE FUNCTION toolwright.record_events(
  of_tenant text, of_process text, of_writer text, of_batch bigint,
  sessions text[], firsts bigint[], lasts bigint[], ends int[], heads bigint[], head_hashes text[],
  types text[], tools text[], actor_kinds text[], actor_ids text[], agents text[], doors text[], sources text[],
  places int[], facts int[], ranks int[], befores int[], ats bigint[], call_ids text[], datas text[], digests text[], hashes text[],
  starting text[], ending text[], usage json
) RETURNS json LANGUAGE plpgsql SET role = 'toolwright_tenant' AS $$
DECLARE
  head record;
  continued text[];
  all_known boolean;
BEGIN
  PERFORM set_config('toolwright.tenant', of_tenant, true);
  INSERT INTO toolwright.event_writers AS kept (tenant, writer, batch, written_at) VALUES (of_tenant, of_writer, of_batch, clock_timestamp())
    ON CONFLICT (tenant, writer) DO UPDATE SET batch = excluded.batch, written_at = excluded.written_at WHERE kept.batch < excluded.batch;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  -- Of calls that were ended in the place of this process it may not speak any more.
  IF toolwright.track_calls(of_tenant, of_process, starting, ending, call_ids) IS NOT NULL THEN
    RETURN NULL;
  END IF;
  -- By the index alone, whatever the planner knew of the table when it planned this; and in one order for everybody, so that no two writers
  -- wait for each other. `excluded.hash` is the head that was given and the new one: of a new session, which has no head, the new one alone.
  WITH written AS (
    INSERT INTO toolwright.sessions AS kept (tenant, session, created_at, last_at, sequence, hash)
      SELECT of_tenant, s, to_timestamp(a / 1000e0::float8), to_timestamp(l / 1000e0::float8), f + ranks[e], h || hashes[e]
      FROM unnest(sessions, firsts, lasts, ends, heads, head_hashes) AS given(s, a, l, e, f, h) ORDER BY s COLLATE "C"
    ON CONFLICT (tenant, session) DO UPDATE SET sequence = excluded.sequence, hash = right(excluded.hash, 64),
      last_at = greatest(kept.last_at, excluded.last_at), written_at = clock_timestamp()
      WHERE kept.hash = left(excluded.hash, -64)
    RETURNING kept.session, kept.hash
  ) SELECT coalesce(array_agg(session) FILTER (WHERE length(hash) = 64), '{}') INTO continued FROM written;
  all_known := cardinality(continued) = cardinality(sessions);
  -- The rows of the others are locked as well.
  IF NOT all_known THEN
    FOR n IN 1..cardinality(sessions) LOOP
      IF sessions[n] <> ALL (continued) THEN
        SELECT kept.sequence, kept.hash INTO head FROM toolwright.sessions AS kept WHERE kept.tenant = of_tenant AND kept.session = sessions[n];
        -- One that the writer knew and the database has lost, with its events, begins anew: it was made above, with both hashes.
        heads[n] := CASE WHEN length(head.hash) > 64 THEN 0 ELSE head.sequence END;
        head_hashes[n] := CASE WHEN length(head.hash) > 64 THEN '' ELSE head.hash END;
      END IF;
    END LOOP;
    FOR i IN 1..cardinality(places) LOOP
      hashes[i] := encode(sha256(convert_to(
        CASE WHEN befores[i] = 0 THEN head_hashes[places[i]] ELSE hashes[befores[i]] END
          || E'\n' || heads[places[i]] + ranks[i] || E'\n' || digests[i], 'UTF8')), 'hex');
    END LOOP;
    FOR n IN 1..cardinality(sessions) LOOP
      IF sessions[n] <> ALL (continued) THEN
        UPDATE toolwright.sessions AS kept SET sequence = heads[n] + ranks[ends[n]], hash = hashes[ends[n]],
          last_at = greatest(kept.last_at, to_timestamp(lasts[n] / 1000e0::float8)), written_at = clock_timestamp()
          WHERE kept.tenant = of_tenant AND kept.session = sessions[n];
      END IF;
    END LOOP;
  END IF;
  INSERT INTO toolwright.events
    SELECT of_tenant, sessions[l], heads[l] + r, to_timestamp(a / 1000e0::float8), types[f], c, tools[f], actor_kinds[f], actor_ids[f],
      agents[f], doors[f], sources[f], v::json, CASE WHEN b = 0 THEN head_hashes[l] ELSE hashes[b] END, h, of_process
    FROM unnest(places, facts, ranks, befores, ats, call_ids, datas, hashes) AS given(l, f, r, b, a, c, v, h);
  IF usage IS NOT NULL THEN
    PERFORM toolwright.add_usage(of_tenant, usage);
  END IF;
  IF all_known THEN
    RETURN NULL;
  END IF;
  RETURN (SELECT json_agg(json_build_object('sequence', f + ranks[e], 'hash', hashes[e]) ORDER BY n)
    FROM unnest(heads, ends) WITH ORDINALITY AS given(f, e, n));
END
$$;
--> statement-breakpoint
-- It takes the role of any tenant: for the login of the process alone. Processes of versions before still use append_events and write_events.
REVOKE EXECUTE ON FUNCTION toolwright.record_events FROM PUBLIC;
