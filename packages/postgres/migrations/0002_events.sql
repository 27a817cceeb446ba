-- breaking: no
-- The append-only log, hash-chained for each session.

CREATE TABLE toolwright.sessions (
  tenant text NOT NULL REFERENCES toolwright.tenants,
  session text NOT NULL,
  created_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  -- By the database's own clock, shortly before the commit: who follows the log finds by it what it was not told of.
  written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of the last event; 0 and '' before the first.
  sequence bigint NOT NULL DEFAULT 0,
  hash text NOT NULL DEFAULT '',
  -- Of the last event that retention removed: where the chain that is left begins.
  removed_through bigint NOT NULL DEFAULT 0,
  removed_hash text NOT NULL DEFAULT '',
  removed_at timestamptz,
  PRIMARY KEY (tenant, session)
) WITH (fillfactor = 70);
--> statement-breakpoint
-- By ranges of pages: it leaves every write of an event an update in place.
CREATE INDEX sessions_by_time ON toolwright.sessions USING brin (written_at) WITH (pages_per_range = 8);
--> statement-breakpoint
CALL toolwright.protect_table('sessions', 'SELECT, INSERT, UPDATE');
--> statement-breakpoint
CREATE TABLE toolwright.events (
  tenant text NOT NULL,
  session text NOT NULL,
  sequence bigint NOT NULL,
  at timestamptz NOT NULL,
  type text NOT NULL,
  call_id text NOT NULL,
  tool text NOT NULL,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  agent text,
  door text NOT NULL,
  source text,
  -- json and not jsonb: the text stays as it was hashed.
  data json NOT NULL,
  previous text NOT NULL,
  hash text NOT NULL,
  -- Of the process that wrote it.
  process text NOT NULL,
  PRIMARY KEY (tenant, session, sequence)
);
--> statement-breakpoint
CREATE INDEX events_by_call ON toolwright.events (tenant, call_id, sequence) WHERE type <> 'tool.output_appended';
--> statement-breakpoint
-- Holds what lists of runs filter by, so that a filter which keeps little reads the index only.
CREATE INDEX events_by_time ON toolwright.events (tenant, at, type, tool, agent, source, call_id) WHERE type <> 'tool.output_appended';
--> statement-breakpoint
-- Nobody edits or removes an event; retention takes whole sessions, as the system.
CALL toolwright.protect_table('events', 'SELECT, INSERT');
--> statement-breakpoint
-- The last batch of each log that a process opened: a batch whose answer was lost can be sent again and is written once.
CREATE TABLE toolwright.event_writers (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  writer text NOT NULL,
  batch bigint NOT NULL,
  written_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, writer)
);
--> statement-breakpoint
CALL toolwright.protect_table('event_writers', 'SELECT, INSERT, UPDATE');
--> statement-breakpoint
-- Numbers, links and stores events of one tenant, in order, under the role of that tenant: one statement, so one way to the database and
-- back. `digests` are SHA-256 of each event's canonical JSON; the chain's hash is SHA-256 of previous, sequence and digest, one a line.
CREATE FUNCTION toolwright.append_events(
  of_tenant text, of_process text, of_writer text, of_batch bigint, sessions text[], digests text[], ats timestamptz[], types text[],
  call_ids text[], tools text[], actor_kinds text[], actor_ids text[], agents text[], doors text[], sources text[], datas text[],
  starting text[], ending text[], usage json
) RETURNS void LANGUAGE plpgsql SET role = 'toolwright_tenant' AS $$
DECLARE
  part record;
  number bigint;
  link text;
  i int;
  numbers bigint[];
  links text[];
  hashes text[];
  names text[] := '{}';
  heads bigint[] := '{}';
  head_hashes text[] := '{}';
  lasts timestamptz[] := '{}';
  lost text[];
BEGIN
  PERFORM set_config('toolwright.tenant', of_tenant, true);
  INSERT INTO toolwright.event_writers AS kept (tenant, writer, batch, written_at) VALUES (of_tenant, of_writer, of_batch, clock_timestamp())
    ON CONFLICT (tenant, writer) DO UPDATE SET batch = excluded.batch, written_at = excluded.written_at WHERE kept.batch < excluded.batch;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- Of calls that were ended in the place of this process it may not speak any more.
  lost := toolwright.track_calls(of_tenant, of_process, starting, ending, call_ids);
  IF lost IS NOT NULL THEN
    SELECT array_agg(s), array_agg(g), array_agg(a), array_agg(t), array_agg(c), array_agg(o), array_agg(ak), array_agg(ai), array_agg(ag),
        array_agg(d), array_agg(u), array_agg(v)
      INTO sessions, digests, ats, types, call_ids, tools, actor_kinds, actor_ids, agents, doors, sources, datas
      FROM unnest(sessions, digests, ats, types, call_ids, tools, actor_kinds, actor_ids, agents, doors, sources, datas)
        AS given(s, g, a, t, c, o, ak, ai, ag, d, u, v) WHERE NOT c = ANY(lost);
    IF sessions IS NULL THEN
      RETURN;
    END IF;
  END IF;
  numbers := array_fill(0::bigint, ARRAY[cardinality(sessions)]);
  links := array_fill(''::text, ARRAY[cardinality(sessions)]);
  hashes := links;
  -- One order of locks for everybody, so that no two writers wait for each other.
  FOR part IN
    SELECT s AS session, array_agg(n ORDER BY n) AS places, min(a) AS first, max(a) AS last
    FROM unnest(sessions, ats) WITH ORDINALITY AS given(s, a, n) GROUP BY s ORDER BY s COLLATE "C"
  LOOP
    SELECT kept.sequence, kept.hash INTO number, link FROM toolwright.sessions AS kept
      WHERE kept.tenant = of_tenant AND kept.session = part.session FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      INSERT INTO toolwright.sessions AS kept (tenant, session, created_at, last_at) VALUES (of_tenant, part.session, part.first, part.last)
        ON CONFLICT (tenant, session) DO UPDATE SET last_at = kept.last_at
        RETURNING kept.sequence, kept.hash INTO number, link;
    END IF;
    FOREACH i IN ARRAY part.places LOOP
      number := number + 1;
      numbers[i] := number;
      links[i] := link;
      link := encode(sha256(convert_to(link || E'\n' || number || E'\n' || digests[i], 'UTF8')), 'hex');
      hashes[i] := link;
    END LOOP;
    names := names || part.session;
    heads := heads || number;
    head_hashes := head_hashes || link;
    lasts := lasts || part.last;
  END LOOP;
  INSERT INTO toolwright.events
    SELECT of_tenant, s, n, a, t, c, o, ak, ai, g, d, u, v::json, p, h, of_process
    FROM unnest(sessions, numbers, ats, types, call_ids, tools, actor_kinds, actor_ids, agents, doors, sources, datas, links, hashes)
      AS given(s, n, a, t, c, o, ak, ai, g, d, u, v, p, h);
  UPDATE toolwright.sessions AS kept
    SET sequence = given.n, hash = given.h, last_at = greatest(kept.last_at, given.a), written_at = clock_timestamp()
    FROM unnest(names, heads, head_hashes, lasts) AS given(s, n, h, a) WHERE kept.tenant = of_tenant AND kept.session = given.s;
  IF usage IS NOT NULL THEN
    PERFORM toolwright.add_usage(of_tenant, usage);
  END IF;
END
$$;
--> statement-breakpoint
-- It takes the role of any tenant: for the login of the process alone.
REVOKE EXECUTE ON FUNCTION toolwright.append_events FROM PUBLIC;
