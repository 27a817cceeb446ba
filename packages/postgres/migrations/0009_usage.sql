-- breaking: no
-- What calls came to, by hour, tool and agent: added up as their endings are written to the log.

CREATE TABLE toolwright.usage_hours (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  hour timestamptz NOT NULL,
  tool text NOT NULL,
  -- '' for none.
  agent text NOT NULL,
  -- Writers spread over several rows, so that they do not wait for each other.
  shard smallint NOT NULL,
  done bigint NOT NULL,
  failed bigint NOT NULL,
  unknown bigint NOT NULL,
  denied bigint NOT NULL,
  cancelled bigint NOT NULL,
  -- Of those that ran.
  duration_ms double precision NOT NULL,
  -- How many of those took less than 2^(n-1) ms, and not less than half of it; the last also all that took longer.
  durations bigint[] NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  -- In the currency of the prices that were given.
  cost numeric NOT NULL,
  PRIMARY KEY (tenant, hour, tool, agent, shard)
);
--> statement-breakpoint
CALL toolwright.protect_table('usage_hours', 'SELECT, INSERT, UPDATE');
--> statement-breakpoint
CREATE FUNCTION toolwright.add_counts(one bigint[], other bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT
  RETURN (SELECT array_agg(a + b ORDER BY n) FROM unnest(one, other) WITH ORDINALITY AS pair(a, b, n));
--> statement-breakpoint
CREATE FUNCTION toolwright.add_usage(of_tenant text, usage json) RETURNS void LANGUAGE sql
BEGIN ATOMIC
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
    durations = toolwright.add_counts(kept.durations, excluded.durations),
    input_tokens = kept.input_tokens + excluded.input_tokens,
    output_tokens = kept.output_tokens + excluded.output_tokens,
    cost = kept.cost + excluded.cost;
END;
