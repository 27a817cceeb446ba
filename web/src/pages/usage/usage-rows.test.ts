import { describe, expect, it } from "vitest";
import type { Item } from "../../api/queries.ts";
import { gapsOf, wordsOfModels, wordsOfUsage } from "./usage-rows.ts";

const tokens = { inputTokens: 600, cachedInputTokens: 400, cacheWriteTokens: 0, outputTokens: 15 };
const call = {
  ...tokens,
  key: "",
  calls: 1,
  done: 1,
  failed: 0,
  unknown: 0,
  denied: 0,
  cancelled: 0,
  durationMs: 4,
  p50Ms: null,
  p95Ms: 3.6,
  cost: 0,
};
const model: Item<"usage.models"> = {
  ...tokens,
  key: "own/llama",
  turns: 1,
  requests: 2,
  reasoningTokens: 0,
  cost: null,
  unpriced: 1,
  estimated: 0,
};

describe("what usage says", () => {
  it("counts tokens of a cache once", () => {
    const { columns, rows } = wordsOfUsage([call], "agent");
    expect(columns).toEqual(["agent", "calls", "done", "failed", "p50 ms", "p95 ms", "tokens in", "tokens out"]);
    expect(rows).toMatchObject([{ agent: "none", "p50 ms": "", "p95 ms": 4, "tokens in": 600 }]);
  });

  it("has no cost for a model without a price, and says for how many turns", () => {
    const { columns, rows } = wordsOfModels([model], "model");
    expect(columns).toEqual(["model", "turns", "requests", "tokens in", "from cache", "tokens out", "cost US$"]);
    expect(rows).toMatchObject([{ model: "own/llama", "cost US$": "no price" }]);
    expect(gapsOf([model])).toEqual(["Without the cost of 1 turn, whose model has no known price."]);
    expect(gapsOf([{ ...model, unpriced: 0, estimated: 2 }])).toEqual(["The tokens of 2 turns are estimated: the provider did not count."]);
    expect(gapsOf([{ ...model, unpriced: 0 }])).toEqual([]);
  });
});
