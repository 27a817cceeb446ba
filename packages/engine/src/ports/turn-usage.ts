export const turnUsageGroups = ["model", "agent", "day", "tenant"] as const;
export type TurnUsageGroup = (typeof turnUsageGroups)[number];

export interface TurnUsageFilter {
  readonly tenant: string;
  readonly by: TurnUsageGroup;
  /** Milliseconds since the epoch: turns that began then or later. */
  readonly since: number;
  /** Not counted any more. */
  readonly until?: number | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

/** What turns asked of models. A turn that goes on counts with what it took so far. */
export interface TurnUsage {
  /** The model as `provider/name`, the agent, or the day in UTC, as ISO 8601. */
  readonly key: string;
  readonly turns: number;
  /** Answers of the model. */
  readonly requests: number;
  /** Those from a cache too. */
  readonly inputTokens: number;
  /** Those of `inputTokens` that came from a cache. */
  readonly cachedInputTokens: number;
  /** Those of `inputTokens` that were written to a cache. */
  readonly cacheWriteTokens: number;
  /** Those for reasoning too. */
  readonly outputTokens: number;
  /** Those of `outputTokens` that were reasoning, where the provider says so. */
  readonly reasoningTokens: number;
  /** US dollars, of turns whose model has a price; null where none has. */
  readonly cost: number | null;
  /** Turns whose model has no price. */
  readonly unpriced: number;
  /** Turns whose provider did not count: their tokens are estimated. */
  readonly estimated: number;
}
