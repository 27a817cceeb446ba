import {
  durationClasses,
  estimateDuration,
  type Usage,
  type UsageFilter,
  type UsageGroup,
  type UsageReader,
} from "@toolwright/engine/ports";
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database/database.ts";

/** Usage from the hours that each write of events adds up. */
export function createPostgresUsageReader(database: Database): UsageReader {
  return {
    async read(filter) {
      const { rows } = await database.asTenant(filter.tenant, (query) => selectUsage(filter).execute(query));
      return rows.map(toUsage);
    },
  };
}

interface UsageRow {
  readonly key: string;
  readonly done: string;
  readonly failed: string;
  readonly unknown: string;
  readonly denied: string;
  readonly cancelled: string;
  readonly duration_ms: number;
  readonly input_tokens: string;
  readonly cached_input_tokens: string;
  readonly cache_write_tokens: string;
  readonly output_tokens: string;
  readonly cost: string;
  readonly durations: readonly (number | string)[];
}

const hourMs = 60 * 60 * 1000;
const keys: Readonly<Record<UsageGroup, RawBuilder<unknown>>> = {
  tool: sql`tool`,
  agent: sql`agent`,
  tenant: sql`tenant`,
  hour: sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"')`,
  day: sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD')`,
};

/** Exported so that its plan can be looked at. */
export function selectUsage({ tenant, by, since, until, tool, agent }: UsageFilter): RawBuilder<UsageRow> {
  const isTime = by === "hour" || by === "day";
  const classes = Array.from({ length: durationClasses }, (_, index) => sql`sum(durations[${sql.lit(index + 1)}])`);
  const conditions = [
    sql`tenant = ${tenant} and hour >= ${new Date(since - (since % hourMs))}`,
    ...(until === undefined ? [] : [sql`hour < ${new Date(until)}`]),
    ...(tool === undefined ? [] : [sql`tool = ${tool}`]),
    ...(agent === undefined ? [] : [sql`agent = ${agent}`]),
  ];
  return sql`select ${keys[by]} as key, sum(done) as done, sum(failed) as failed, sum(unknown) as unknown, sum(denied) as denied,
      sum(cancelled) as cancelled, sum(duration_ms) as duration_ms, sum(input_tokens) as input_tokens,
      sum(cached_input_tokens) as cached_input_tokens, sum(cache_write_tokens) as cache_write_tokens, sum(output_tokens) as output_tokens,
      sum(cost) as cost, array[${sql.join(classes)}]::float8[] as durations
    from toolwright.usage_hours where ${sql.join(conditions, sql` and `)} group by 1
    order by ${isTime ? sql`1` : sql`sum(done + failed + unknown + denied + cancelled) desc, 1`}`;
}

function toUsage(row: UsageRow): Usage {
  const [done, failed, unknown, denied, cancelled] = [row.done, row.failed, row.unknown, row.denied, row.cancelled].map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const durations = row.durations.map(Number);
  return {
    key: row.key,
    calls: done + failed + unknown + denied + cancelled,
    done,
    failed,
    unknown,
    denied,
    cancelled,
    durationMs: row.duration_ms,
    p50Ms: estimateDuration(durations, 0.5),
    p95Ms: estimateDuration(durations, 0.95),
    inputTokens: Number(row.input_tokens),
    cachedInputTokens: Number(row.cached_input_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
    outputTokens: Number(row.output_tokens),
    cost: Number(row.cost),
  };
}
