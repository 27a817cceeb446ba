import type { LimitUse } from "../../ports/person-limits.ts";
import type { TurnUsage } from "../../ports/turn-usage.ts";
import type { Usage } from "../../ports/usage-reader.ts";
import type { Rendering } from "../shell.ts";

const callColumns = ["calls", "done", "failed", "unknown", "denied", "cancelled", "p50 ms", "p95 ms", "tokens in", "cached", "tokens out"];

/** US dollars to a billionth, and never as 1e-7. */
const moneyOf = (cost: number | null) => cost?.toLocaleString("en-US", { maximumFractionDigits: 9, useGrouping: false }) ?? "";
const rounded = (value: number | null) => (value === null ? "" : Math.round(value));

const toCallRow = (row: Usage) =>
  [
    row.key || "(none)",
    row.calls,
    row.done,
    row.failed,
    row.unknown,
    row.denied,
    row.cancelled,
    rounded(row.p50Ms),
    rounded(row.p95Ms),
    row.inputTokens,
    row.cachedInputTokens,
    row.outputTokens,
    moneyOf(row.cost),
  ].map(String);

export const usageView: Rendering<{ readonly items: readonly Usage[] }> = {
  show: ({ items }, { input: { by } }) =>
    items.length === 0
      ? ["Nothing was called in that time."]
      : [{ head: [String(by), ...callColumns, "cost $"], rows: items.map(toCallRow) }],
};

const modelColumns = ["turns", "requests", "tokens in", "cached", "written", "tokens out", "reasoning", "cost $"];

const toModelRow = (row: TurnUsage) =>
  [
    row.key,
    row.turns,
    row.requests,
    row.inputTokens,
    row.cachedInputTokens,
    row.cacheWriteTokens,
    row.outputTokens,
    row.reasoningTokens,
    moneyOf(row.cost),
  ].map(String);

/** What the numbers leave out. */
function describeGaps(items: readonly TurnUsage[]): readonly string[] {
  const count = (of: "unpriced" | "estimated") => items.reduce((sum, row) => sum + row[of], 0);
  const turns = (some: number) => `${some} ${some === 1 ? "turn" : "turns"}`;
  const [unpriced, estimated] = [count("unpriced"), count("estimated")];
  return [
    ...(unpriced > 0 ? [`Without the cost of ${turns(unpriced)}, whose model has no known price.`] : []),
    ...(estimated > 0 ? [`The tokens of ${turns(estimated)} are estimated: the provider did not count.`] : []),
  ];
}

export const modelUsageView: Rendering<{ readonly items: readonly TurnUsage[] }> = {
  show: ({ items }, { input: { by } }) =>
    items.length === 0
      ? ["No agent asked a model in that time."]
      : [{ head: [String(by), ...modelColumns], rows: items.map(toModelRow) }, ...describeGaps(items)],
};

const number = (value: number) => value.toLocaleString("en-US");

export const limitsView: Rendering<{ readonly items: readonly (LimitUse & { readonly counts: string })[] }> = {
  show: ({ items }) => [
    { head: ["you may have", "used", "at most"], rows: items.map(({ counts, used, most }) => [counts, number(used), number(most)]) },
  ],
};
