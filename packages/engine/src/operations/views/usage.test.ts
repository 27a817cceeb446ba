import { expect, test } from "vitest";
import { modelUsageView } from "./usage.ts";

const context = { input: { by: "model" }, where: "", tenant: "default", now: 0 };
const counted = { key: "p/m", turns: 1, requests: 1, inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };

test.each([
  [0, "0"],
  [0.000_000_2, "0.0000002"],
  [1234.5, "1234.5"],
  [null, ""],
])("a cost of %s is written %j", (cost, written) => {
  const items = [{ ...counted, reasoningTokens: 0, cost, unpriced: 0, estimated: 0 }];
  const [table] = modelUsageView.show?.({ items }, context) ?? [];
  expect(JSON.stringify(table)).toContain(`${JSON.stringify(written)}]]`);
});
