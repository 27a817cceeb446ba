import { z } from "zod";

/** As a tool and an operation give it. */
export const turnUsage = z.object({
  key: z.string().describe("The model as provider/name, the agent, the tenant, or the day in UTC"),
  turns: z.int(),
  requests: z.int().describe("Answers of the model"),
  inputTokens: z.int().describe("Those from a cache too"),
  cachedInputTokens: z.int(),
  cacheWriteTokens: z.int(),
  outputTokens: z.int().describe("Those for reasoning too"),
  reasoningTokens: z.int().describe("Part of outputTokens, where the provider counts it"),
  cost: z.number().nullable().describe("US dollars, of turns whose model has a price; null where none has"),
  unpriced: z.int().describe("Turns whose model has no price"),
  estimated: z.int().describe("Turns whose provider did not count: their tokens are estimated"),
});
