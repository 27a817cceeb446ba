import { expect, test } from "vitest";
import { createDatabaseClock } from "./database-clock.ts";

/** A machine whose clock can be set. */
function makeMachine() {
  const time = { wall: 1_000_000, steady: 50 };
  const machine = { now: () => time.wall, monotonic: () => time.steady, after: () => () => {} };
  return { time, clock: createDatabaseClock(machine) };
}

test("R-AU-5: a jump of the machine's clock moves nothing, and time that passes does", () => {
  const { time, clock } = makeMachine();
  clock.set(2_000_000);
  time.wall += 3_600_000;
  expect(clock.now()).toBe(2_000_000);
  time.wall -= 7_200_000;
  time.steady += 1_234;
  expect(clock.now()).toBe(2_001_234);
});

test("it follows a database whose clock was set, and does not tremble with the way to it", () => {
  const { clock } = makeMachine();
  clock.set(2_000_000);
  clock.set(1_999_600);
  expect(clock.now()).toBe(2_000_000);
  clock.set(1_000);
  expect(clock.now()).toBe(1_000);
});
