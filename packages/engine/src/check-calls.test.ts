import { expect, it } from "vitest";
import { createEngine } from "./engine.ts";
import { createMemoryEventLog } from "./memory/event-log.ts";
import { defaultPolicy } from "./policy/document/policy-document.ts";
import { createManualClock } from "./testing/manual-clock.ts";

it("makes a call through the gate that nobody sees afterwards", async () => {
  const events = createMemoryEventLog();
  const engine = createEngine({ events });
  expect(await engine.checkCalls()).toEqual({ ok: true });
  expect(await events.read({ tenant: "default", session: "health" })).toEqual([]);
  expect(engine.snapshot().tools).toEqual([]);
});

it.each([
  ["denies it", { ...defaultPolicy, tools: { allow: ["other"] } }],
  ["asks for it", { ...defaultPolicy, tools: { ask: ["echo"] } }],
])("finds a gate in order whose policy %s", async (_, document) => {
  const engine = createEngine({ policy: [{ tier: "platform", document }] });
  expect(await engine.checkCalls()).toEqual({ ok: true });
});

it("says what fails when calls fail", async () => {
  const clock = { ...createManualClock(0), monotonic: () => Number.NaN.toFixed(Number.NaN) as never };
  clock.now = () => {
    throw new Error("no time");
  };
  expect(await createEngine({ clock }).checkCalls()).toMatchObject({ ok: false, problem: expect.stringContaining("A call of a tool") });
});
