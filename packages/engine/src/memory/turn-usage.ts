import type { CallUsage } from "../contract/usage.ts";
import type { TurnUsage, TurnUsageFilter, TurnUsageGroup } from "../ports/turn-usage.ts";
import type { TurnRecord } from "../ports/turns.ts";

const modelOf = ({ usage }: TurnRecord) => usage.models?.[0] ?? "";

const keyOf: Readonly<Record<TurnUsageGroup, (turn: TurnRecord) => string>> = {
  model: modelOf,
  agent: ({ agent }) => agent,
  day: ({ createdAt }) => new Date(createdAt).toISOString().slice(0, 10),
  tenant: ({ tenant }) => tenant,
};

/** Adds up what turns took, by what the filter asks for. */
export function sumTurnUsage(turns: Iterable<TurnRecord>, filter: TurnUsageFilter): readonly TurnUsage[] {
  const { by } = filter;
  const wanted = [...turns].filter((turn) => isWanted(turn, filter));
  const rows = [...Map.groupBy(wanted, keyOf[by])].map(([key, some]) => toUsage(key, some));
  const tokensOf = ({ inputTokens, outputTokens }: TurnUsage) => inputTokens + outputTokens;
  return rows.sort((a, b) => (by === "day" ? 0 : tokensOf(b) - tokensOf(a)) || (a.key < b.key ? -1 : 1));
}

function isWanted(turn: TurnRecord, { tenant, since, until = Number.POSITIVE_INFINITY, ...wanted }: TurnUsageFilter): boolean {
  if (turn.tenant !== tenant || Object.keys(turn.usage).length === 0 || turn.createdAt < since || turn.createdAt >= until) return false;
  return (wanted.agent ?? turn.agent) === turn.agent && (wanted.model ?? modelOf(turn)) === modelOf(turn);
}

function toUsage(key: string, turns: readonly TurnRecord[]): TurnUsage {
  const sum = (of: (usage: CallUsage) => number | undefined) => turns.reduce((total, { usage }) => total + (of(usage) ?? 0), 0);
  const unpriced = turns.filter(({ usage }) => usage.cost === undefined).length;
  return {
    ...{ key, turns: turns.length, requests: turns.reduce((total, { steps }) => total + steps, 0) },
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cachedInputTokens: sum(({ cachedInputTokens }) => cachedInputTokens),
    cacheWriteTokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    reasoningTokens: sum(({ reasoningTokens }) => reasoningTokens),
    // In whole billionths: a sum of decimal fractions would drift.
    cost: unpriced === turns.length ? null : sum(({ cost = 0 }) => Math.round(cost * 1e9)) / 1e9,
    ...{ unpriced, estimated: turns.filter(({ usage }) => usage.estimated).length },
  };
}
