import { randomUUID } from "node:crypto";
import type { CallEvent } from "@toolwright/engine";
import { openStore } from "@toolwright/postgres";
import type { Place } from "../run-cli.ts";

const facts = { tenant: "default", actor: { kind: "user", id: "ann" }, agent: "packer", door: "ai-sdk", source: "api" } as const;
const eventsAtOnce = 500;
/** Before anything that the tests do. */
const seededAt = Date.UTC(2026, 0, 15);

/** The id of the call that `seedLog` gives so many outputs. */
export const longCall = "call_long";

/** Writes calls, two events each, and one call with many outputs, into the store of a place, through the log itself. */
export async function seedLog(place: Place, { calls, outputs }: { readonly calls: number; readonly outputs: number }): Promise<void> {
  const store = await openStore({
    ...(place.env.DATABASE_URL === undefined ? {} : { url: place.env.DATABASE_URL }),
    folder: place.path("state", "store"),
    process: `prc_${randomUUID()}`,
    holder: "a test",
  });
  try {
    const events = [...Array.from({ length: calls }, (_, index) => shortCall(index)).flat(), ...callWithOutputs(outputs)];
    for (let first = 0; first < events.length; first += eventsAtOnce) await store.events.append(events.slice(first, first + eventsAtOnce));
  } finally {
    await store.close();
  }
}

const ended = (durationMs: number): CallEvent["data"] => ({ durationMs, output: { lines: 40 } });

function shortCall(index: number): readonly CallEvent[] {
  const call = { ...facts, session: `seeded-${index % 4}`, callId: `call_seeded_${index}`, tool: "seeded" };
  const at = seededAt + index * 1_000;
  return [
    { ...call, at, type: "tool.started", data: { effect: "allow", rule: "tools.default", input: { index } } },
    { ...call, at: at + 20, type: "tool.completed", data: ended(20) },
  ];
}

function callWithOutputs(outputs: number): readonly CallEvent[] {
  const call = { ...facts, session: "seeded-long", callId: longCall, tool: "seeded_long" };
  const begun = seededAt + 10_000_000_000;
  const chunk = (index: number): CallEvent => ({
    ...call,
    at: begun + index,
    type: "tool.output_appended",
    data: { text: `line ${index} of what it put out` },
  });
  return [
    { ...call, at: begun, type: "tool.started", data: { effect: "allow", rule: "tools.default", input: {} } },
    ...Array.from({ length: outputs }, (_, index) => chunk(index + 1)),
    { ...call, at: begun + outputs + 1, type: "tool.completed", data: ended(outputs + 1) },
  ];
}
