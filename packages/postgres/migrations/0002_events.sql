-- breaking: no
-- The append-only log, hash-chained for each session.

CREATE TABLE toolwright.sessions (
  tenant text NOT NULL REFERENCES toolwright.tenants,
  session text NOT NULL,
  created_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  -- Of the last event; 0 and '' before the first.
  sequence bigint NOT NULL DEFAULT 0,
  hash text NOT NULL DEFAULT '',
  PRIMARY KEY (tenant, session)
);
--> statement-breakpoint
CREATE INDEX sessions_by_time ON toolwright.sessions (tenant, last_at DESC);
--> statement-breakpoint
CALL toolwright.protect_table('sessions');
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
CREATE INDEX events_by_call ON toolwright.events (tenant, call_id);
--> statement-breakpoint
-- Nobody edits or removes an event; retention takes whole sessions, as the system.
CALL toolwright.protect_table('events', 'SELECT, INSERT');
--> statement-breakpoint
-- Numbers, links and stores events of one tenant, in order. `digests` are SHA-256 of each event's canonical JSON; the chain's hash is
-- SHA-256 of previous, sequence and digest, one a line.
CREATE FUNCTION toolwright.append_events(
  of_tenant text, of_process text, sessions text[], digests text[], ats timestamptz[], types text[], call_ids text[], tools text[],
  actor_kinds text[], actor_ids text[], agents text[], doors text[], sources text[], datas text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  heads jsonb := '{}';
  head record;
  number bigint;
  link text;
  numbers bigint[] := '{}';
  links text[] := '{}';
  hashes text[] := '{}';
  i int;
BEGIN
  -- One order for everybody, so that two writers never wait for each other.
  FOR head IN SELECT s AS session, min(a) AS first, max(a) AS last FROM unnest(sessions, ats) AS given(s, a) GROUP BY s ORDER BY s LOOP
    INSERT INTO toolwright.sessions AS kept (tenant, session, created_at, last_at) VALUES (of_tenant, head.session, head.first, head.last)
      ON CONFLICT (tenant, session) DO UPDATE SET last_at = greatest(kept.last_at, excluded.last_at)
      RETURNING kept.sequence, kept.hash INTO number, link;
    heads := jsonb_set(heads, ARRAY[head.session], jsonb_build_array(number, link));
  END LOOP;
  FOR i IN 1 .. cardinality(sessions) LOOP
    number := (heads -> sessions[i] ->> 0)::bigint + 1;
    link := heads -> sessions[i] ->> 1;
    numbers[i] := number;
    links[i] := link;
    link := encode(sha256(convert_to(link || E'\n' || number || E'\n' || digests[i], 'UTF8')), 'hex');
    hashes[i] := link;
    heads := jsonb_set(heads, ARRAY[sessions[i]], jsonb_build_array(number, link));
  END LOOP;
  INSERT INTO toolwright.events
    SELECT of_tenant, s, n, a, t, c, o, ak, ai, g, d, u, v::json, p, h, of_process
    FROM unnest(sessions, numbers, ats, types, call_ids, tools, actor_kinds, actor_ids, agents, doors, sources, datas, links, hashes)
      AS given(s, n, a, t, c, o, ak, ai, g, d, u, v, p, h);
  UPDATE toolwright.sessions AS kept SET sequence = (h.value ->> 0)::bigint, hash = h.value ->> 1
    FROM jsonb_each(heads) AS h WHERE kept.tenant = of_tenant AND kept.session = h.key;
END
$$;
