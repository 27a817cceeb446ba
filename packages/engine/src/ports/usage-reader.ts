import { definePort } from "./define-port.ts";

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

/** What calls of a tenant came to. */
export interface UsageReader {
  /** By tool and agent, most calls first; by time, oldest first. */
  read(filter: UsageFilter): Promise<readonly Usage[]>;
}

export const usagePort = definePort<UsageReader>()("usage", "a reader of usage, such as createMemoryUsageReader(events)");

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
