import type { Item } from "../../api/queries.ts";
import type { Row } from "../../result/shape-of.ts";

export const groups = [
  { value: "tool", label: "By tool" },
  { value: "agent", label: "By agent" },
  { value: "hour", label: "By hour" },
  { value: "day", label: "By day" },
] as const;

const day = 24 * 3_600_000;
export const spans = [
  { value: "1d", label: "Last day", ms: day },
  { value: "7d", label: "Last 7 days", ms: 7 * day },
  { value: "30d", label: "Last 30 days", ms: 30 * day },
  { value: "all", label: "Ever", ms: 0 },
] as const;

/** A row a group; what no call had (tokens, cost) has no column. */
export function wordsOfUsage(
  items: readonly Item<"usage.get">[],
  by: string,
): { readonly columns: readonly string[]; readonly rows: readonly Row[] } {
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
    "tokens in": item.inputTokens + item.cachedInputTokens + item.cacheWriteTokens,
    "tokens out": item.outputTokens,
    "cost US$": item.cost,
  }));
  const always = new Set([by, "calls", "failed", "p50 ms", "p95 ms"]);
  const columns = Object.keys(rows[0] ?? {}).filter(
    (column) => always.has(column) || rows.some((row) => row[column as keyof typeof row] !== 0),
  );
  return { columns, rows };
}
