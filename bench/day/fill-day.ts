import type { CallEvent } from "@toolwright/engine";
import { createRandomIds } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";

/** A day that ended at midnight, UTC. */
export const dayStart = Date.UTC(2026, 0, 15);
const dayMs = 24 * 60 * 60 * 1000;
const sessions = 2_000;
const eventsAtOnce = 500;
/** Used once in ten thousand calls. */
export const rareTool = "report_export";
const tools = Array.from({ length: 40 }, (_, index) => `tool_${index}`);
const agents = ["coder", "analyst", "support", "writer", "planner", "reviewer", "tester", "scout"];
const sources = ["web", "agent", "api", "schedule"] as const;

/** Numbers from 0 to 1 that are the same each time. */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Writes a day of calls, two events each, through the log itself, so that chains and usage are what they would be. */
export async function fillDay(store: Store, events: number): Promise<void> {
  const chance = createChance(20_260_115);
  const ids = createRandomIds();
  const calls = events / 2;
  const callsAtOnce = eventsAtOnce / 2;
  for (let first = 0; first < calls; first += callsAtOnce) {
    const some = Array.from({ length: Math.min(callsAtOnce, calls - first) }, (_, index) =>
      callOf({ at: dayStart + Math.floor((dayMs * (first + index)) / calls), callId: ids.next("call"), chance }),
    );
    await store.events.append(some.flat());
  }
}

interface NewCall {
  readonly at: number;
  readonly callId: string;
  readonly chance: () => number;
}

function callOf({ at, callId, chance }: NewCall): readonly [CallEvent, CallEvent] {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(chance() ** 2 * items.length)] as Item;
  // Sessions follow one another through the day, eighty at a time.
  const session = `session-${Math.min(sessions - 1, Math.floor(((at - dayStart) / dayMs) * (sessions - 80) + chance() * 80))}`;
  const tool = chance() < 0.0001 ? rareTool : pick(tools);
  const facts = {
    session,
    tenant: "default",
    actor: { kind: "user", id: "ann" },
    agent: pick(agents),
    door: "ai-sdk",
    source: pick(sources),
    callId,
    tool,
  } as const;
  const durationMs = Math.round(5 * (1 / (0.001 + chance())));
  const usage = { inputTokens: 200, outputTokens: 50, cost: 0.001 };
  const input = { path: `folder/file-${Math.floor(chance() * 1000)}.md`, startLine: 1, endLine: 40 };
  const ended = chance();
  const started: CallEvent = { ...facts, at, type: "tool.started", data: { effect: "allow", rule: "tools.default", input } };
  const end = { ...facts, at: at + durationMs };
  if (ended < 0.02)
    return [
      started,
      { ...end, type: "tool.failed", data: { durationMs, outcome: "failed", error: { code: "tool_failed", message: "No." } } },
    ];
  if (ended < 0.025) return [started, { ...end, type: "tool.cancelled", data: { durationMs, reason: "Stopped." } }];
  return [
    started,
    { ...end, type: "tool.completed", data: { durationMs, output: { text: "A line of text. ".repeat(6), lines: 40 }, usage } },
  ];
}
