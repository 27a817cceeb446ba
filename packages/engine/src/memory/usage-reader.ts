import { isCallEvent } from "../contract/events.ts";
import { countUsage, durationClasses, type UsagePart } from "../ports/count-usage.ts";
import { estimateDuration, type Usage, type UsageFilter, type UsageGroup, type UsageReader } from "../ports/usage-reader.ts";
import type { MemoryEventLog } from "./event-log.ts";

const hourMs = 60 * 60 * 1000;

const keyOf: Readonly<Record<UsageGroup, (part: UsagePart, tenant: string) => string>> = {
  tool: ({ tool }) => tool,
  agent: ({ agent }) => agent,
  tenant: (_, tenant) => tenant,
  hour: ({ hour }) => `${hour.slice(0, 13)}:00Z`,
  day: ({ hour }) => hour.slice(0, 10),
};

/** Adds up the calls that `createMemoryEventLog` still keeps. */
export function createMemoryUsageReader(log: MemoryEventLog): UsageReader {
  return {
    async read(filter) {
      const { tenant, by } = filter;
      const sessions = log.heads().filter((head) => head.tenant === tenant);
      const stored = await Promise.all(sessions.map(({ session }) => log.read({ tenant, session })));
      const events = stored.flat().map(({ event }) => event);
      const parts = countUsage(events.filter(isCallEvent), 0) ?? [];
      const groups = Map.groupBy(
        parts.filter((part) => isWanted(part, filter)),
        (part) => keyOf[by](part, tenant),
      );
      const rows = [...groups].map(([key, some]) => toUsage(key, some));
      const isTime = by === "hour" || by === "day";
      return rows.sort((a, b) => (isTime ? 0 : b.calls - a.calls) || (a.key < b.key ? -1 : 1));
    },
  };
}

function isWanted({ hour, tool, agent }: UsagePart, { since, until = Number.POSITIVE_INFINITY, ...wanted }: UsageFilter): boolean {
  const at = Date.parse(hour);
  if (at < since - (since % hourMs) || at >= until) return false;
  return (wanted.tool ?? tool) === tool && (wanted.agent ?? agent) === agent;
}

function toUsage(key: string, parts: readonly UsagePart[]): Usage {
  const sum = (of: (part: UsagePart) => number) => parts.reduce((total, part) => total + of(part), 0);
  const durations = Array.from({ length: durationClasses }, (_, place) => sum((part) => part.durations[place] ?? 0));
  return {
    key,
    calls: sum(({ done, failed, unknown, denied, cancelled }) => done + failed + unknown + denied + cancelled),
    done: sum(({ done }) => done),
    failed: sum(({ failed }) => failed),
    unknown: sum(({ unknown }) => unknown),
    denied: sum(({ denied }) => denied),
    cancelled: sum(({ cancelled }) => cancelled),
    durationMs: sum((part) => part.duration_ms),
    p50Ms: estimateDuration(durations, 0.5),
    p95Ms: estimateDuration(durations, 0.95),
    inputTokens: sum((part) => part.input_tokens),
    cachedInputTokens: sum((part) => part.cached_input_tokens),
    cacheWriteTokens: sum((part) => part.cache_write_tokens),
    outputTokens: sum((part) => part.output_tokens),
    cost: sum(({ cost }) => Math.round(cost * 1e9)) / 1e9,
  };
}
