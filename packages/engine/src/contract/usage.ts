/** What models and other paid services took for one call of a tool, with the words of OpenTelemetry and the AI SDK for it. Nothing is below 0. */
export interface CallUsage {
  /** Distinct, in the order they were first used; at most 20. */
  readonly models?: readonly string[];
  /** All of them, those from a cache too. */
  readonly inputTokens?: number;
  /** Those of `inputTokens` that came from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** Those of `inputTokens` that the provider wrote to its cache. */
  readonly cacheWriteTokens?: number;
  /** All of them, those for reasoning too. */
  readonly outputTokens?: number;
  /** Those of `outputTokens` that were reasoning. */
  readonly reasoningTokens?: number;
  /** US dollars, exact to a billionth. */
  readonly cost?: number;
  /** Some of it is estimated: the provider did not count. */
  readonly estimated?: boolean;
}

/** One thing that a tool used. Tokens are whole numbers; what is left out is not known, or none. */
export interface UsageReport extends Omit<CallUsage, "models"> {
  /** As its provider names it, in at most 200 characters. */
  readonly model?: string;
}
