-- breaking: no
-- Writing to the log at two thirds of the cost: sessions come named once, and are read in one statement.

-- As before, with a plan that is kept.
CREATE OR REPLACE FUNCTION toolwright.add_usage(of_tenant text, usage json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO toolwright.usage_hours AS kept
    SELECT of_tenant, u.hour, u.tool, u.agent, u.shard, u.done, u.failed, u.unknown, u.denied, u.cancelled, u.duration_ms, u.durations,
      u.input_tokens, u.output_tokens, u.cost
    FROM json_to_recordset(usage) AS u(hour timestamptz, tool text, agent text, shard smallint, done bigint, failed bigint, unknown bigint,
      denied bigint, cancelled bigint, duration_ms double precision, durations bigint[], input_tokens bigint, output_tokens bigint, cost numeric)
    -- One order for everybody, so that no two writers wait for each other.
    ORDER BY u.hour, u.tool COLLATE "C", u.agent COLLATE "C"
  ON CONFLICT (tenant, hour, tool, agent, shard) DO UPDATE SET
    done = kept.done + excluded.done,
    failed = kept.failed + excluded.failed,
    unknown = kept.unknown + excluded.unknown,
    denied = kept.denied + excluded.denied,
    cancelled = kept.cancelled + excluded.cancelled,
    duration_ms = kept.duration_ms + excluded.duration_ms,
    durations = (SELECT array_agg(a + b ORDER BY n) FROM unnest(kept.durations, excluded.durations) WITH ORDINALITY AS pair(a, b, n)),
    input_tokens = kept.input_tokens + excluded.input_tokens,
    output_tokens = kept.output_tokens + excluded.output_tokens,
    cost = kept.cost + excluded.cost;
END
$$;
--> statement-breakpoint
-- The plan above has its place.
DROP FUNCTION toolwright.add_counts;
--> statement-breakpoint
-- Numbers, links and stores events of one tenant, in order, under the role of that tenant: one statement, so one way to the database and
-- back. `sessions` are those of the batch, each once, with
-- the times of its first and last event in it, and `places` says for each event which of them is its. `digests` are SHA-256 of each
-- event's canonical JSON; the chain's hash is SHA-256 of previous, sequence and digest, one a line.
CREATE FUNCTION toolwright.write_events(
  of_tenant text, of_process text, of_writer text, of_batch bigint, sessions text[], firsts timestamptz[],
  lasts timestamptz[], places int[], digests text[], ats timestamptz[], types text[], call_ids text[], tools text[], actor_kinds text[],
  actor_ids text[], agents text[], doors text[], sources text[], datas text[], starting text[], ending text[], usage json
) RETURNS void LANGUAGE plpgsql SET role = 'toolwright_tenant' AS $$
DECLARE
  part record;
  place int;
  -- Of each session, as far as this batch goes.
  heads bigint[] := array_fill(0::bigint, ARRAY[cardinality(sessions)]);
  head_hashes text[] := array_fill(''::text, ARRAY[cardinality(sessions)]);
  -- Of each event.
  numbers bigint[] := array_fill(0::bigint, ARRAY[cardinality(places)]);
  links text[] := array_fill(''::text, ARRAY[cardinality(places)]);
  hashes text[] := links;
BEGIN
  PERFORM set_config('toolwright.tenant', of_tenant, true);
  INSERT INTO toolwright.event_writers AS kept (tenant, writer, batch, written_at) VALUES (of_tenant, of_writer, of_batch, clock_timestamp())
    ON CONFLICT (tenant, writer) DO UPDATE SET batch = excluded.batch, written_at = excluded.written_at WHERE kept.batch < excluded.batch;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- Of calls that were ended in the place of this process it may not speak any more.
  IF toolwright.track_calls(of_tenant, of_process, starting, ending, call_ids) IS NOT NULL THEN
    RETURN;
  END IF;
  -- New sessions first and then the locks of all, both in one order for everybody: no two writers wait for each other.
  INSERT INTO toolwright.sessions (tenant, session, created_at, last_at)
    SELECT of_tenant, s, f, l FROM unnest(sessions, firsts, lasts) AS given(s, f, l)
      WHERE NOT EXISTS (SELECT FROM toolwright.sessions AS kept WHERE kept.tenant = of_tenant AND kept.session = s)
      ORDER BY s COLLATE "C"
    ON CONFLICT (tenant, session) DO NOTHING;
  FOR part IN
    SELECT given.n, kept.sequence, kept.hash FROM unnest(sessions) WITH ORDINALITY AS given(s, n)
      JOIN toolwright.sessions AS kept ON kept.tenant = of_tenant AND kept.session = given.s
      ORDER BY given.s COLLATE "C" FOR NO KEY UPDATE OF kept
  LOOP
    heads[part.n] := part.sequence;
    head_hashes[part.n] := part.hash;
  END LOOP;
  FOR i IN 1..cardinality(places) LOOP
    place := places[i];
    heads[place] := heads[place] + 1;
    numbers[i] := heads[place];
    links[i] := head_hashes[place];
    hashes[i] := encode(sha256(convert_to(links[i] || E'\n' || numbers[i] || E'\n' || digests[i], 'UTF8')), 'hex');
    head_hashes[place] := hashes[i];
  END LOOP;
  INSERT INTO toolwright.events
    SELECT of_tenant, sessions[l], n, a, t, c, o, ak, ai, g, d, u, v::json, p, h, of_process
    FROM unnest(places, numbers, ats, types, call_ids, tools, actor_kinds, actor_ids, agents, doors, sources, datas, links, hashes)
      AS given(l, n, a, t, c, o, ak, ai, g, d, u, v, p, h);
  UPDATE toolwright.sessions AS kept
    SET sequence = given.n, hash = given.h, last_at = greatest(kept.last_at, given.l), written_at = clock_timestamp()
    FROM unnest(sessions, heads, head_hashes, lasts) AS given(s, n, h, l) WHERE kept.tenant = of_tenant AND kept.session = given.s;
  IF usage IS NOT NULL THEN
    PERFORM toolwright.add_usage(of_tenant, usage);
  END IF;
END
$$;
--> statement-breakpoint
-- It takes the role of any tenant: for the login of the process alone. Processes of the version before still use toolwright.append_events.
REVOKE EXECUTE ON FUNCTION toolwright.write_events FROM PUBLIC;
