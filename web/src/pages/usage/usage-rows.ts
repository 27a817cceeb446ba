import type { Item, OperationTypes } from "../../api/queries.ts";
import type { Row } from "../../result/shape-of.ts";

export interface Group {
  readonly value: string;
  readonly label: string;
  /** How calls of tools are summed up. */
  readonly ofCalls?: OperationTypes["usage.get"]["input"]["by"];
  /** How it is summed up what agents asked of models. */
  readonly ofModels?: OperationTypes["usage.models"]["input"]["by"];
}

export const groups: readonly [Group, ...Group[]] = [
  { value: "tool", label: "By tool", ofCalls: "tool" },
  { value: "agent", label: "By agent", ofCalls: "agent", ofModels: "agent" },
  { value: "model", label: "By model", ofModels: "model" },
  { value: "hour", label: "By hour", ofCalls: "hour" },
  { value: "day", label: "By day", ofCalls: "day", ofModels: "day" },
];

const day = 24 * 3_600_000;
export const spans = [
  { value: "1d", label: "Last day", ms: day },
  { value: "7d", label: "Last 7 days", ms: 7 * day },
  { value: "30d", label: "Last 30 days", ms: 30 * day },
  { value: "all", label: "Ever", ms: 0 },
] as const;

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** A row a group. */
export function wordsOfUsage(items: readonly Item<"usage.get">[], by: string): Table {
  const rows = items.map((item) => ({
    [by]: item.key === "" ? "none" : item.key,
    calls: item.calls,
    done: item.done,
    failed: item.failed,
    denied: item.denied,
    cancelled: item.cancelled,
    unknown: item.unknown,
    "p50 ms": item.p50Ms === null ? "" : Math.round(item.p50Ms),
    "p95 ms": item.p95Ms === null ? "" : Math.round(item.p95Ms),
    "tokens in": item.inputTokens,
    "tokens out": item.outputTokens,
    "cost US$": item.cost,
  }));
  return tableOf(rows, [by, "calls", "failed", "p50 ms", "p95 ms"]);
}

/** A row a model, an agent or a day. */
export function wordsOfModels(items: readonly Item<"usage.models">[], by: string): Table {
  const rows = items.map((item) => ({
    [by]: item.key,
    turns: item.turns,
    requests: item.requests,
    "tokens in": item.inputTokens,
    "from cache": item.cachedInputTokens,
    "to cache": item.cacheWriteTokens,
    "tokens out": item.outputTokens,
    reasoning: item.reasoningTokens,
    "cost US$": item.cost ?? "no price",
  }));
  return tableOf(rows, [by, "turns", "requests", "tokens in", "tokens out", "cost US$"]);
}

/** What the sums leave out, a sentence each. */
export function gapsOf(items: readonly Item<"usage.models">[]): readonly string[] {
  const turns = (of: "unpriced" | "estimated") => {
    const count = items.reduce((sum, item) => sum + item[of], 0);
    return count === 0 ? undefined : `${count.toLocaleString("en")} ${count === 1 ? "turn" : "turns"}`;
  };
  const [unpriced, estimated] = [turns("unpriced"), turns("estimated")];
  return [
    ...(unpriced === undefined ? [] : [`Without the cost of ${unpriced}, whose model has no known price.`]),
    ...(estimated === undefined ? [] : [`The tokens of ${estimated} are estimated: the provider did not count.`]),
  ];
}

/** What no row has is no column, unless it is always there. */
function tableOf(rows: readonly Row[], always: readonly string[]): Table {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => always.includes(column) || rows.some((row) => row[column] !== 0));
  return { columns, rows };
}
