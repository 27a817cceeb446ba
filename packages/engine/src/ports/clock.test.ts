import { expect, it } from "vitest";
import { createManualClock } from "../testing/manual-clock.ts";
import { every, pause } from "./clock.ts";

it("calls back after each period, by the clock alone, until it is stopped", async () => {
  const clock = createManualClock();
  let calls = 0;
  const stop = every(1_000, clock, () => calls++);
  await clock.advance(999);
  expect(calls).toBe(0);
  await clock.advance(2_001);
  expect(calls).toBe(3);
  stop();
  await clock.advance(10_000);
  expect(calls).toBe(3);
});

it("stops also when the callback says so", async () => {
  const clock = createManualClock();
  let calls = 0;
  const stop = every(1_000, clock, () => {
    calls++;
    stop();
  });
  await clock.advance(5_000);
  expect(calls).toBe(1);
});

it.each(["before", "while"])("a pause ends when its signal aborts %s it waits", async (when) => {
  const clock = createManualClock();
  const controller = new AbortController();
  if (when === "before") controller.abort();
  const waiting = pause(1_000, clock, controller.signal);
  controller.abort();
  await waiting;
  expect(clock.now()).toBe(1_000_000);
});
