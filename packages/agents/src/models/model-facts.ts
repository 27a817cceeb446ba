/** Dollars for a million tokens. */
interface ModelPrice {
  readonly input: number;
  /** Price of input from the provider's cache. Default: the price of other input. */
  readonly cachedInput?: number;
  /** Price of input that is written to the provider's cache. Default: the price of other input. */
  readonly cacheWrite?: number;
  readonly output: number;
}

interface ModelFacts {
  /** Tokens that fit in a request. */
  readonly contextWindow?: number;
  readonly price?: ModelPrice;
  /** Price of all tokens of a request with more input than `tokens`. */
  readonly longPrice?: ModelPrice & { readonly tokens: number };
}

/**
 * List prices without discounts, surcharges of regions and tiers of service; docs/reference/model-prices.md says where they come from. A model
 * whose price is not certain has none.
 */
const facts: Readonly<Record<string, ModelFacts>> = {
  "anthropic/claude-fable-5": { contextWindow: 1_000_000, price: { input: 10, cachedInput: 1, cacheWrite: 12.5, output: 50 } },
  "anthropic/claude-fable-5-1": { contextWindow: 1_000_000, price: { input: 10, cachedInput: 0.25, cacheWrite: 12.5, output: 50 } },
  "anthropic/claude-haiku-4-5": { contextWindow: 200_000, price: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 } },
  "anthropic/claude-haiku-4-5-20251001": { contextWindow: 200_000, price: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 } },
  "anthropic/claude-haiku-5-5": {
    contextWindow: 1_000_000,
    price: { input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, output: 0.5 },
    longPrice: { tokens: 100_000, input: 0.5, cachedInput: 0.05, cacheWrite: 0.625, output: 2.5 },
  },
  "anthropic/claude-opus-4-0": { contextWindow: 200_000, price: { input: 15, cachedInput: 1.5, cacheWrite: 18.75, output: 75 } },
  "anthropic/claude-opus-4-1": { contextWindow: 200_000, price: { input: 15, cachedInput: 1.5, cacheWrite: 18.75, output: 75 } },
  "anthropic/claude-opus-4-1-20250805": { contextWindow: 200_000, price: { input: 15, cachedInput: 1.5, cacheWrite: 18.75, output: 75 } },
  "anthropic/claude-opus-4-20250514": { contextWindow: 200_000, price: { input: 15, cachedInput: 1.5, cacheWrite: 18.75, output: 75 } },
  "anthropic/claude-opus-4-5": { contextWindow: 200_000, price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 } },
  "anthropic/claude-opus-4-5-20251101": { contextWindow: 200_000, price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 } },
  "anthropic/claude-opus-4-6": { contextWindow: 1_000_000, price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 } },
  "anthropic/claude-opus-4-7": { contextWindow: 1_000_000, price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 } },
  "anthropic/claude-opus-4-8": { contextWindow: 1_000_000, price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 } },
  "anthropic/claude-opus-5": { contextWindow: 1_000_000, price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 } },
  "anthropic/claude-opus-5-5": { contextWindow: 1_000_000, price: { input: 4, cachedInput: 0.2, cacheWrite: 5, output: 20 } },
  "anthropic/claude-sonnet-4-0": { contextWindow: 200_000, price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 } },
  "anthropic/claude-sonnet-4-20250514": { contextWindow: 200_000, price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 } },
  "anthropic/claude-sonnet-4-5": { contextWindow: 200_000, price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 } },
  "anthropic/claude-sonnet-4-5-20250929": { contextWindow: 200_000, price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 } },
  "anthropic/claude-sonnet-4-6": { contextWindow: 1_000_000, price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 } },
  "anthropic/claude-sonnet-5": { contextWindow: 1_000_000, price: { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 } },
  "anthropic/claude-sonnet-5-5": { contextWindow: 1_000_000, price: { input: 2, cachedInput: 0.1, cacheWrite: 2.5, output: 10 } },
  "bedrock/amazon.nova-lite-v1:0": { contextWindow: 300_000, price: { input: 0.06, cachedInput: 0.015, output: 0.24 } },
  "bedrock/amazon.nova-micro-v1:0": { contextWindow: 128_000, price: { input: 0.035, cachedInput: 0.00875, output: 0.14 } },
  "bedrock/amazon.nova-pro-v1:0": { contextWindow: 300_000, price: { input: 0.8, cachedInput: 0.2, output: 3.2 } },
  "bedrock/global.anthropic.claude-fable-5": {
    contextWindow: 1_000_000,
    price: { input: 10, cachedInput: 1, cacheWrite: 12.5, output: 50 },
  },
  "bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0": {
    contextWindow: 200_000,
    price: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
  },
  "bedrock/global.anthropic.claude-opus-4-5-20251101-v1:0": {
    contextWindow: 200_000,
    price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
  },
  "bedrock/global.anthropic.claude-opus-4-6-v1": {
    contextWindow: 1_000_000,
    price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
  },
  "bedrock/global.anthropic.claude-opus-4-7": {
    contextWindow: 1_000_000,
    price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
  },
  "bedrock/global.anthropic.claude-opus-4-8": {
    contextWindow: 1_000_000,
    price: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
  },
  "bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0": {
    contextWindow: 200_000,
    price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
  },
  "bedrock/global.anthropic.claude-sonnet-4-6": {
    contextWindow: 1_000_000,
    price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
  },
  "bedrock/global.anthropic.claude-sonnet-5": {
    contextWindow: 1_000_000,
    price: { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 },
  },
  "openai/gpt-4.1": { contextWindow: 1_047_576, price: { input: 2, cachedInput: 0.5, output: 8 } },
  "openai/gpt-4.1-2025-04-14": { contextWindow: 1_047_576, price: { input: 2, cachedInput: 0.5, output: 8 } },
  "openai/gpt-4.1-mini": { contextWindow: 1_047_576, price: { input: 0.4, cachedInput: 0.1, output: 1.6 } },
  "openai/gpt-4.1-mini-2025-04-14": { contextWindow: 1_047_576, price: { input: 0.4, cachedInput: 0.1, output: 1.6 } },
  "openai/gpt-4.1-nano": { contextWindow: 1_047_576, price: { input: 0.1, cachedInput: 0.025, output: 0.4 } },
  "openai/gpt-4.1-nano-2025-04-14": { contextWindow: 1_047_576, price: { input: 0.1, cachedInput: 0.025, output: 0.4 } },
  "openai/gpt-4o": { contextWindow: 128_000, price: { input: 2.5, cachedInput: 1.25, output: 10 } },
  "openai/gpt-4o-2024-05-13": { contextWindow: 128_000, price: { input: 5, output: 15 } },
  "openai/gpt-4o-2024-08-06": { contextWindow: 128_000, price: { input: 2.5, cachedInput: 1.25, output: 10 } },
  "openai/gpt-4o-2024-11-20": { contextWindow: 128_000, price: { input: 2.5, cachedInput: 1.25, output: 10 } },
  "openai/gpt-4o-mini": { contextWindow: 128_000, price: { input: 0.15, cachedInput: 0.075, output: 0.6 } },
  "openai/gpt-4o-mini-2024-07-18": { contextWindow: 128_000, price: { input: 0.15, cachedInput: 0.075, output: 0.6 } },
  "openai/gpt-5": { contextWindow: 272_000, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
  "openai/gpt-5-2025-08-07": { contextWindow: 272_000, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
  "openai/gpt-5-chat-latest": { contextWindow: 272_000, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
  "openai/gpt-5-codex": { contextWindow: 272_000, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
  "openai/gpt-5-mini": { contextWindow: 272_000, price: { input: 0.25, cachedInput: 0.025, output: 2 } },
  "openai/gpt-5-mini-2025-08-07": { contextWindow: 272_000, price: { input: 0.25, cachedInput: 0.025, output: 2 } },
  "openai/gpt-5-nano": { contextWindow: 272_000, price: { input: 0.05, cachedInput: 0.005, output: 0.4 } },
  "openai/gpt-5-nano-2025-08-07": { contextWindow: 272_000, price: { input: 0.05, cachedInput: 0.005, output: 0.4 } },
  "openai/gpt-5-pro": { contextWindow: 272_000, price: { input: 15, output: 120 } },
  "openai/gpt-5.1": { contextWindow: 272_000, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
  "openai/gpt-5.1-2025-11-13": { contextWindow: 272_000, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
  "openai/gpt-5.1-chat-latest": { contextWindow: 128_000, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
  "openai/gpt-5.1-codex": { contextWindow: 272_000, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
  "openai/gpt-5.1-codex-max": { contextWindow: 272_000, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
  "openai/gpt-5.1-codex-mini": { contextWindow: 272_000, price: { input: 0.25, cachedInput: 0.025, output: 2 } },
  "openai/gpt-5.2": { contextWindow: 272_000, price: { input: 1.75, cachedInput: 0.175, output: 14 } },
  "openai/gpt-5.2-2025-12-11": { contextWindow: 272_000, price: { input: 1.75, cachedInput: 0.175, output: 14 } },
  "openai/gpt-5.2-chat-latest": { contextWindow: 128_000, price: { input: 1.75, cachedInput: 0.175, output: 14 } },
  "openai/gpt-5.2-codex": { contextWindow: 272_000, price: { input: 1.75, cachedInput: 0.175, output: 14 } },
  "openai/gpt-5.2-pro": { contextWindow: 272_000, price: { input: 21, output: 168 } },
  "openai/gpt-5.3-chat-latest": { contextWindow: 128_000, price: { input: 1.75, cachedInput: 0.175, output: 14 } },
  "openai/gpt-5.3-codex": { contextWindow: 272_000, price: { input: 1.75, cachedInput: 0.175, output: 14 } },
  "openai/gpt-5.4": {
    contextWindow: 922_000,
    price: { input: 2.5, cachedInput: 0.25, output: 15 },
    longPrice: { tokens: 272_000, input: 5, cachedInput: 0.5, output: 22.5 },
  },
  "openai/gpt-5.4-2026-03-05": {
    contextWindow: 922_000,
    price: { input: 2.5, cachedInput: 0.25, output: 15 },
    longPrice: { tokens: 272_000, input: 5, cachedInput: 0.5, output: 22.5 },
  },
  "openai/gpt-5.4-mini": { contextWindow: 272_000, price: { input: 0.75, cachedInput: 0.075, output: 4.5 } },
  "openai/gpt-5.4-mini-2026-03-17": { contextWindow: 272_000, price: { input: 0.75, cachedInput: 0.075, output: 4.5 } },
  "openai/gpt-5.4-nano": { contextWindow: 272_000, price: { input: 0.2, cachedInput: 0.02, output: 1.25 } },
  "openai/gpt-5.4-nano-2026-03-17": { contextWindow: 272_000, price: { input: 0.2, cachedInput: 0.02, output: 1.25 } },
  "openai/gpt-5.4-pro": {
    contextWindow: 922_000,
    price: { input: 30, output: 180 },
    longPrice: { tokens: 272_000, input: 60, output: 270 },
  },
  "openai/gpt-5.5": {
    contextWindow: 922_000,
    price: { input: 5, cachedInput: 0.5, output: 30 },
    longPrice: { tokens: 272_000, input: 10, cachedInput: 1, output: 45 },
  },
  "openai/gpt-5.5-2026-04-23": {
    contextWindow: 922_000,
    price: { input: 5, cachedInput: 0.5, output: 30 },
    longPrice: { tokens: 272_000, input: 10, cachedInput: 1, output: 45 },
  },
  "openai/gpt-5.5-pro": {
    contextWindow: 922_000,
    price: { input: 30, output: 180 },
    longPrice: { tokens: 272_000, input: 60, output: 270 },
  },
  "openai/gpt-6-luna": {
    contextWindow: 922_000,
    price: { input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, output: 0.5 },
    longPrice: { tokens: 272_000, input: 0.2, cachedInput: 0.02, cacheWrite: 0.25, output: 0.75 },
  },
  "openai/gpt-6-sol": {
    contextWindow: 922_000,
    price: { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 },
    longPrice: { tokens: 272_000, input: 4, cachedInput: 0.4, cacheWrite: 5, output: 15 },
  },
  "openai/gpt-6.1-terra": {
    contextWindow: 922_000,
    price: { input: 1, cachedInput: 0.05, cacheWrite: 1.25, output: 5 },
    longPrice: { tokens: 272_000, input: 2, cachedInput: 0.1, cacheWrite: 2.5, output: 7.5 },
  },
  "openai/o1": { contextWindow: 200_000, price: { input: 15, cachedInput: 7.5, output: 60 } },
  "openai/o1-pro": { contextWindow: 200_000, price: { input: 150, output: 600 } },
  "openai/o3": { contextWindow: 200_000, price: { input: 2, cachedInput: 0.5, output: 8 } },
  "openai/o3-2025-04-16": { contextWindow: 200_000, price: { input: 2, cachedInput: 0.5, output: 8 } },
  "openai/o3-mini": { contextWindow: 200_000, price: { input: 1.1, cachedInput: 0.55, output: 4.4 } },
  "openai/o3-mini-2025-01-31": { contextWindow: 200_000, price: { input: 1.1, cachedInput: 0.55, output: 4.4 } },
  "openai/o3-pro": { contextWindow: 200_000, price: { input: 20, output: 80 } },
  "openai/o4-mini": { contextWindow: 200_000, price: { input: 1.1, cachedInput: 0.275, output: 4.4 } },
  "openai/o4-mini-2025-04-16": { contextWindow: 200_000, price: { input: 1.1, cachedInput: 0.275, output: 4.4 } },
};

const byId = new Map(Object.entries(facts));

/** Undefined for a model that nobody wrote down, such as one of the operator's own. */
export const factsOf = (id: string): ModelFacts | undefined => byId.get(id);

/** Where a model of Bedrock runs changes its price, and not what fits into it. */
export function contextWindowOf(id: string): number | undefined {
  const place = /^bedrock\/(?:[a-z-]+\.)?((?:anthropic|amazon)\..+)$/.exec(id)?.[1];
  const found = [id, `bedrock/${place}`, `bedrock/global.${place}`].map(factsOf).find((known) => known !== undefined);
  return found?.contextWindow;
}
