-- breaking: no
-- What calls wait for, are allowed by and are counted by; who runs them, and what is known of them when he is gone.

CREATE TABLE toolwright.approvals (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  approval text NOT NULL,
  call_id text NOT NULL,
  -- json and not jsonb, here and below: input and output may hold characters that jsonb refuses.
  record json NOT NULL,
  -- Everybody's, in order; what they come to is worked out from them and the record.
  answers json NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- When the answer that counts was given.
  settled_at timestamptz,
  claimed_at timestamptz,
  -- The process that ran the call.
  claimed_by text,
  -- When it was noted that nobody had answered in time.
  expired_at timestamptz,
  PRIMARY KEY (tenant, approval)
);
--> statement-breakpoint
CREATE INDEX approvals_not_claimed ON toolwright.approvals (tenant, created_at) WHERE claimed_at IS NULL;
--> statement-breakpoint
CREATE INDEX approvals_by_expiry ON toolwright.approvals (expires_at);
--> statement-breakpoint
CREATE INDEX approvals_by_claimer ON toolwright.approvals (claimed_by) WHERE claimed_by IS NOT NULL;
--> statement-breakpoint
CALL toolwright.protect_table('approvals', 'SELECT, INSERT, UPDATE');
--> statement-breakpoint
CREATE TABLE toolwright.grants (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  grant_id text NOT NULL,
  tool text NOT NULL,
  record json NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  max_uses bigint NOT NULL,
  used bigint NOT NULL DEFAULT 0 CHECK (used <= max_uses),
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by json,
  PRIMARY KEY (tenant, grant_id)
);
--> statement-breakpoint
CREATE INDEX grants_by_tool ON toolwright.grants (tenant, tool) WHERE revoked_at IS NULL;
--> statement-breakpoint
CALL toolwright.protect_table('grants', 'SELECT, INSERT, UPDATE');
--> statement-breakpoint
CREATE TABLE toolwright.rate_counters (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  key text NOT NULL,
  -- Milliseconds since the epoch of what counts, oldest first.
  times bigint[] NOT NULL DEFAULT '{}',
  -- From when on none of it counts any more.
  idle_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, key)
);
--> statement-breakpoint
CALL toolwright.protect_table('rate_counters', 'SELECT, INSERT, UPDATE');
--> statement-breakpoint
-- Counts one at a time (milliseconds since the epoch) if fewer than `most` lie in the window before it. Gives 0 then, else milliseconds to wait.
CREATE FUNCTION toolwright.reserve_rate(of_tenant text, of_key text, most int, window_ms bigint, at bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  counted bigint[];
BEGIN
  LOOP
    SELECT kept.times INTO counted FROM toolwright.rate_counters AS kept WHERE kept.tenant = of_tenant AND kept.key = of_key FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO toolwright.rate_counters (tenant, key) VALUES (of_tenant, of_key) ON CONFLICT DO NOTHING;
  END LOOP;
  counted := ARRAY(SELECT t FROM unnest(counted) AS given(t) WHERE t > at - window_ms ORDER BY t);
  IF cardinality(counted) >= most THEN
    RETURN counted[cardinality(counted) - most + 1] + window_ms - at;
  END IF;
  UPDATE toolwright.rate_counters AS kept SET times = counted || at, idle_at = to_timestamp((at + window_ms) / 1000.0)
    WHERE kept.tenant = of_tenant AND kept.key = of_key;
  RETURN 0;
END
$$;
--> statement-breakpoint
CREATE TABLE toolwright.idempotency_keys (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  -- Digest of the caller and of the key that it chose.
  key text NOT NULL,
  -- Digest of tool and input.
  fingerprint text NOT NULL,
  call_id text NOT NULL,
  process text NOT NULL,
  -- How the call ended, or what it waits for; null while it runs.
  result json,
  is_final boolean NOT NULL DEFAULT false,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, key)
);
--> statement-breakpoint
CREATE INDEX idempotency_keys_by_call ON toolwright.idempotency_keys (tenant, call_id);
--> statement-breakpoint
CREATE INDEX idempotency_keys_by_expiry ON toolwright.idempotency_keys (expires_at);
--> statement-breakpoint
CREATE INDEX idempotency_keys_running ON toolwright.idempotency_keys (process) WHERE result IS NULL;
--> statement-breakpoint
CALL toolwright.protect_table('idempotency_keys');
--> statement-breakpoint
-- Processes that use this store, and when they were last alive. They belong to no tenant.
CREATE TABLE toolwright.processes (
  process text PRIMARY KEY,
  role text NOT NULL,
  host text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  -- By the clock of the database.
  seen_at timestamptz NOT NULL
);
--> statement-breakpoint
ALTER TABLE toolwright.processes ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE toolwright.processes FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY for_the_system ON toolwright.processes TO toolwright_system USING (true) WITH CHECK (true);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON toolwright.processes TO toolwright_system;
--> statement-breakpoint
-- Calls that started and have not ended. One that ends in the batch it starts in never comes here.
CREATE TABLE toolwright.calls_in_flight (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  call_id text NOT NULL,
  process text NOT NULL,
  PRIMARY KEY (tenant, call_id)
);
--> statement-breakpoint
CALL toolwright.protect_table('calls_in_flight', 'SELECT, INSERT, DELETE');
--> statement-breakpoint
-- Calls whose process was taken for dead, and which were ended in its place: it may only have slept, and must not end them again.
CREATE TABLE toolwright.lost_calls (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  process text NOT NULL,
  call_id text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, process, call_id)
);
--> statement-breakpoint
CALL toolwright.protect_table('lost_calls', 'SELECT');
--> statement-breakpoint
-- Notes which calls start and end with a batch of events, in its transaction: `starting` do not end in it, `ending` did not start in it; null
-- for none. Gives those of `call_ids` that were taken from the process: what it says of them is not to be written. The rows of what ends are
-- locked first: whoever ends lost calls either has them or does not get them.
CREATE FUNCTION toolwright.track_calls(of_tenant text, of_process text, starting text[], ending text[], call_ids text[]) RETURNS text[]
LANGUAGE plpgsql AS $$
BEGIN
  IF ending IS NOT NULL THEN
    DELETE FROM toolwright.calls_in_flight AS kept WHERE kept.tenant = of_tenant AND kept.call_id = ANY(ending);
  END IF;
  IF starting IS NOT NULL THEN
    INSERT INTO toolwright.calls_in_flight (tenant, call_id, process) SELECT of_tenant, c, of_process FROM unnest(starting) AS given(c)
      ON CONFLICT DO NOTHING;
  END IF;
  -- Most processes never lost one: a single look at the index.
  IF NOT EXISTS (SELECT FROM toolwright.lost_calls AS lost WHERE lost.tenant = of_tenant AND lost.process = of_process) THEN
    RETURN NULL;
  END IF;
  RETURN (SELECT array_agg(lost.call_id) FROM toolwright.lost_calls AS lost
    WHERE lost.tenant = of_tenant AND lost.process = of_process AND lost.call_id = ANY(call_ids));
END
$$;
