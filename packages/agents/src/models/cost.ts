import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { factsOf } from "./model-facts.ts";

const million = 1_000_000;
const billion = 1_000_000_000;

/** US dollars, exact to a billionth; undefined for a model without a price, and where the provider did not count. */
export function costOf(id: string, { inputTokens, outputTokens }: LanguageModelV4Usage): number | undefined {
  const { price: usual, longPrice } = factsOf(id) ?? {};
  const { total, cacheRead = 0, cacheWrite = 0 } = inputTokens;
  if (!usual || total === undefined || outputTokens.total === undefined) return undefined;
  const price = longPrice && total > longPrice.tokens ? longPrice : usual;
  const { input, output, cachedInput = input, cacheWrite: written = input } = price;
  const plain = Math.max(0, total - cacheRead - cacheWrite);
  const dollars = (plain * input + cacheRead * cachedInput + cacheWrite * written + outputTokens.total * output) / million;
  return Math.round(dollars * billion) / billion;
}
