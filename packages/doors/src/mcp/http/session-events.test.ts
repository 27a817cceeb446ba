import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { createSessionEvents } from "./session-events.ts";

const message = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, method: "ping" });
const open = (max: number, run = "run1") =>
  createSessionEvents({ max, run, prefix: (stream) => (stream === "unnamed" ? undefined : "call") });

async function replay(events: ReturnType<typeof createSessionEvents>, after: string) {
  const sent: unknown[] = [];
  const stream = await events.replayEventsAfter(after, { send: async (_, one) => void sent.push((one as { id: number }).id) });
  return { stream, sent };
}

it("replays the later events of the same stream and of no other", async () => {
  const events = open(10);
  const first = await events.storeEvent("a", message(1));
  await events.storeEvent("b", message(2));
  await events.storeEvent("a", message(3));
  expect(await replay(events, first)).toEqual({ stream: "a", sent: [3] });
});

it("keeps only the newest events, and says when an event is gone", async () => {
  const events = open(2);
  const first = await events.storeEvent("a", message(1));
  await events.storeEvent("a", message(2));
  await events.storeEvent("a", message(3));
  expect(await events.getStreamIdForEventId(first)).toBeUndefined();
  await expect(replay(events, first)).rejects.toThrow(/not kept/);
});

it("keeps nothing of a stream without names, and knows no event of another run", async () => {
  const [before, after] = [open(10, "run1"), open(10, "run2")];
  expect(await after.storeEvent("unnamed", message(1))).toBe("");
  const event = await before.storeEvent("a", message(1));
  await after.storeEvent("b", message(1));
  expect(await after.getStreamIdForEventId(event)).toBeUndefined();
});
