import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database/database.ts";
import { durationClasses } from "./count-usage.ts";

export const usageGroups = ["tool", "agent", "hour", "day", "tenant"] as const;
export type UsageGroup = (typeof usageGroups)[number];

export interface UsageFilter {
  readonly tenant: string;
  readonly by: UsageGroup;
  /** Milliseconds since the epoch; counted from the beginning of its hour. */
  readonly since: number;
  /** Not counted any more. */
  readonly until?: number | undefined;
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
}

/** What calls came to. Those that wait for a person are counted when they end. */
export interface Usage {
  /** The tool, the agent ("" for none), or the beginning of the hour or day in UTC, as ISO 8601. */
  readonly key: string;
  readonly calls: number;
  readonly done: number;
  readonly failed: number;
  readonly unknown: number;
  readonly denied: number;
  readonly cancelled: number;
  /** Sum over the calls that ran. */
  readonly durationMs: number;
  /** Estimated: within a factor of two of the true one; null when none ran. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** As the tools said, those from a cache too. */
  readonly inputTokens: number;
  /** Those of `inputTokens` that came from a cache. */
  readonly cachedInputTokens: number;
  /** Those of `inputTokens` that were written to a cache. */
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** US dollars, as the tools said. */
  readonly cost: number;
}

/** By tool and agent, most calls first; by time, oldest first. */
export async function readUsage(database: Database, filter: UsageFilter): Promise<readonly Usage[]> {
  const { rows } = await database.asTenant(filter.tenant, (query) => selectUsage(filter).execute(query));
  return rows.map(toUsage);
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

/** The duration that the given share of calls did not exceed, taking calls as spread evenly over their class. */
export function estimateDuration(classes: readonly number[], share: number): number | null {
  const total = classes.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = total * share;
  for (const [place, count] of classes.entries()) {
    if (count > 0 && left <= count) {
      const from = place === 0 ? 0 : 2 ** (place - 1);
      return from + ((2 ** place - from) * left) / count;
    }
    left -= count;
  }
  return 2 ** (classes.length - 1);
}
