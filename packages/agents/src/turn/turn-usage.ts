import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { CallUsage } from "@toolwright/engine";

/** What one response took, in the engine's words. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Omit<CallUsage, "models"> {
  return {
    ...(inputTokens.total !== undefined && { inputTokens: inputTokens.total }),
    ...(inputTokens.cacheRead !== undefined && { cachedInputTokens: inputTokens.cacheRead }),
    ...(inputTokens.cacheWrite !== undefined && { cacheWriteTokens: inputTokens.cacheWrite }),
    ...(outputTokens.total !== undefined && { outputTokens: outputTokens.total }),
  };
}

const counts = ["inputTokens", "cachedInputTokens", "cacheWriteTokens", "outputTokens", "cost"] as const;

/** Both together; a count that neither knows stays away. */
export function addUsage(one: CallUsage, other: CallUsage): CallUsage {
  const models = [...new Set([...(one.models ?? []), ...(other.models ?? [])])];
  const sums = counts.flatMap((name) => {
    const [a, b] = [one[name], other[name]];
    return a === undefined && b === undefined ? [] : [[name, (a ?? 0) + (b ?? 0)]];
  });
  return { ...(models.length > 0 && { models }), ...Object.fromEntries(sums) };
}
