-- breaking: no
-- Tokens that came from a cache and went into one, beside the others; and whom the servers of a store let in.

ALTER TABLE toolwright.usage_hours ADD COLUMN cached_input_tokens bigint NOT NULL DEFAULT 0, ADD COLUMN cache_write_tokens bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
-- As before, with both. Processes of the version before send neither.
CREATE OR REPLACE FUNCTION toolwright.add_usage(of_tenant text, usage json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO toolwright.usage_hours AS kept (tenant, hour, tool, agent, shard, done, failed, unknown, denied, cancelled, duration_ms, durations,
      input_tokens, output_tokens, cost, cached_input_tokens, cache_write_tokens)
    SELECT of_tenant, u.hour, u.tool, u.agent, u.shard, u.done, u.failed, u.unknown, u.denied, u.cancelled, u.duration_ms, u.durations,
      u.input_tokens, u.output_tokens, u.cost, coalesce(u.cached_input_tokens, 0), coalesce(u.cache_write_tokens, 0)
    FROM json_to_recordset(usage) AS u(hour timestamptz, tool text, agent text, shard smallint, done bigint, failed bigint, unknown bigint,
      denied bigint, cancelled bigint, duration_ms double precision, durations bigint[], input_tokens bigint, output_tokens bigint, cost numeric,
      cached_input_tokens bigint, cache_write_tokens bigint)
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
    cost = kept.cost + excluded.cost,
    cached_input_tokens = kept.cached_input_tokens + excluded.cached_input_tokens,
    cache_write_tokens = kept.cache_write_tokens + excluded.cache_write_tokens;
END
$$;
--> statement-breakpoint
-- Of a server: who may come in, in a form that tells nothing but whether two are alike; null for every other process.
ALTER TABLE toolwright.processes ADD COLUMN admits text;
