import type { CallEvent } from "../contract/events.ts";

/** What the endings of some calls come to, for one hour, tool and agent; named as stores keep it. */
export interface UsagePart {
  readonly hour: string;
  readonly tool: string;
  readonly agent: string;
  readonly shard: number;
  done: number;
  failed: number;
  unknown: number;
  denied: number;
  cancelled: number;
  duration_ms: number;
  readonly durations: number[];
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  cost: number;
}

const hourMs = 60 * 60 * 1000;
/** The last class holds what took longer than 2^30 ms, which is twelve days. */
export const durationClasses = 32;

type Outcome = "done" | "failed" | "unknown" | "denied" | "cancelled";

/** Undefined for an event that ends nothing; a call that waits for a person has not ended. */
function outcomeOf({ type, data }: CallEvent): Outcome | undefined {
  switch (type) {
    case "tool.completed":
      return "done";
    case "tool.failed":
      return data.outcome === "unknown" ? "unknown" : "failed";
    case "tool.denied":
      return "denied";
    case "tool.cancelled":
      return "cancelled";
    default:
      return undefined;
  }
}

/** Undefined when nothing ended. `shard` spreads writers over rows. */
export function countUsage(events: readonly CallEvent[], shard: number): readonly UsagePart[] | undefined {
  const parts = new Map<string, UsagePart>();
  for (const event of events) {
    const outcome = outcomeOf(event);
    if (outcome) addEnding(findPart(parts, event, shard), outcome, event.data);
  }
  return parts.size > 0 ? [...parts.values()] : undefined;
}

function findPart(parts: Map<string, UsagePart>, { at, tool, agent = "" }: CallEvent, shard: number): UsagePart {
  const hour = at - (at % hourMs);
  const key = `${hour}\n${tool}\n${agent}`;
  let part = parts.get(key);
  if (!part) {
    const counts = { done: 0, failed: 0, unknown: 0, denied: 0, cancelled: 0, duration_ms: 0, cost: 0 };
    const tokens = { input_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0, output_tokens: 0 };
    part = {
      hour: new Date(hour).toISOString(),
      tool,
      agent,
      shard,
      ...counts,
      ...tokens,
      durations: Array<number>(durationClasses).fill(0),
    };
    parts.set(key, part);
  }
  return part;
}

function addEnding(part: UsagePart, outcome: Outcome, { durationMs, usage }: CallEvent["data"]): void {
  part[outcome] += 1;
  if (outcome !== "denied" && typeof durationMs === "number" && durationMs >= 0) {
    part.duration_ms += durationMs;
    const place = durationClassOf(durationMs);
    part.durations[place] = (part.durations[place] ?? 0) + 1;
  }
  if (typeof usage !== "object" || usage === null || Array.isArray(usage)) return;
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, cost } = usage as Readonly<Record<string, unknown>>;
  part.input_tokens += wholeOf(inputTokens);
  part.cached_input_tokens += wholeOf(cachedInputTokens);
  part.cache_write_tokens += wholeOf(cacheWriteTokens);
  part.output_tokens += wholeOf(outputTokens);
  part.cost = addCosts(part.cost, numberOf(cost));
}

/** 0 for less than 1 ms, then one class for each doubling. */
function durationClassOf(ms: number): number {
  return Math.min(durationClasses - 1, ms < 1 ? 0 : Math.floor(Math.log2(ms)) + 1);
}

/** In whole billionths: a sum of decimal fractions would drift. */
const addCosts = (one: number, other: number) => (Math.round(one * 1e9) + Math.round(other * 1e9)) / 1e9;
const numberOf = (value: unknown) => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0);
const wholeOf = (value: unknown) => Math.round(numberOf(value));
