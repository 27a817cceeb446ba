import type { CallEvent, EventType } from "../contract/events.ts";

/** An event of tenant `acme` for tests; what matters to the test is given. */
export function makeEvent(given: Partial<CallEvent> = {}): CallEvent {
  const facts = { session: "s1", tenant: "acme", actor: { kind: "user", id: "ann" }, door: "cli", callId: "call_1", tool: "add" } as const;
  return { type: "tool.started", at: Date.UTC(2026, 0, 1), data: {}, ...facts, ...given };
}

/** The events of one call: its start, and how it ended. */
export function makeCall(
  ending: EventType | undefined,
  given: Partial<CallEvent> & { readonly endData?: CallEvent["data"] } = {},
): readonly CallEvent[] {
  const { endData = {}, ...facts } = given;
  const started = makeEvent({ data: { effect: "allow", input: { a: 1 } }, ...facts, type: "tool.started" });
  if (ending === undefined) return [started];
  return [started, makeEvent({ ...facts, type: ending, at: started.at + 7, data: { durationMs: 7, ...endData } })];
}

export async function readAll<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
