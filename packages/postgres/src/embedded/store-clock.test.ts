import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createStoreClock, type KeptClock, type MachineTime, openStoreClock, readClockGap, readKeptClock } from "./store-clock.ts";

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

/** A machine of which time passes when it is told to. */
function createMachine({ wall = Date.UTC(2026, 0, 1), boot = "first" as string | undefined } = {}) {
  const state = { wall, uptime: hour, monotonic: 5, boot };
  const machine: MachineTime = {
    wall: () => state.wall,
    uptime: () => state.uptime,
    monotonic: () => state.monotonic,
    get boot() {
      return state.boot;
    },
  };
  return {
    machine,
    state,
    run(ms: number) {
      state.wall += ms;
      state.uptime += ms;
      state.monotonic += ms;
    },
    sleep(ms: number) {
      state.wall += ms;
      state.uptime += ms;
    },
  };
}

describe("the clock of a store", () => {
  it("is the machine's, also over a sleep and ordinary corrections", () => {
    const { machine, state, run, sleep } = createMachine();
    const clock = createStoreClock({ machine });
    for (const step of [
      () => run(10),
      () => run(hour),
      () => sleep(day),
      () => run(hour),
      () => (state.wall += 1_500),
      () => run(second),
    ]) {
      step();
      expect(clock.now()).toBe(state.wall);
    }
  });

  it.each([
    ["a day ahead", day],
    ["an hour ahead", hour],
    ["a minute back", -60 * second],
    ["a year back", -365 * day],
  ])("goes on as before when the machine is set %s, and tells of it once", (_words, jump) => {
    const { machine, state, run } = createMachine();
    const jumps: number[] = [];
    const clock = createStoreClock({ machine, onJump: (ms) => jumps.push(ms) });
    run(10 * second);
    const before = clock.now();
    state.wall += jump;
    expect(clock.now()).toBe(before);
    for (let passed = 0; passed < 60; passed += 1) {
      run(second);
      clock.now();
    }
    const passed = clock.now() - before;
    expect(passed).toBeGreaterThanOrEqual(54 * second);
    expect(passed).toBeLessThanOrEqual(120 * second);
    expect(jumps).toEqual([jump]);
  });

  it("makes up for a machine that stays ahead, second by second, and for one that stays behind by a tenth", () => {
    const { machine, state, run } = createMachine();
    const clock = createStoreClock({ machine });
    clock.now();
    state.wall += hour;
    for (let n = 0; n < 3_700; n += 1) {
      run(second);
      clock.now();
    }
    expect(clock.now()).toBe(state.wall);
    state.wall -= 100 * second;
    for (let n = 0; n < 1_100; n += 1) {
      run(second);
      clock.now();
    }
    expect(clock.now()).toBe(state.wall);
  });

  it("tells of a jump there and of the way back, and never goes back itself", () => {
    const { machine, state, run } = createMachine();
    const jumps: number[] = [];
    const clock = createStoreClock({ machine, onJump: (ms) => jumps.push(ms) });
    let last = clock.now();
    for (const jump of [day, -day, -1_000, -400, 900]) {
      state.wall += jump;
      run(100);
      expect(clock.now()).toBeGreaterThanOrEqual(last);
      last = clock.now();
    }
    expect(jumps.map((ms) => Math.round(ms / hour))).toEqual([24, -24]);
  });

  it("goes on from one process to the next of one start of the machine, whatever the machine's clock says meanwhile", () => {
    const { machine, state, run } = createMachine();
    const before = createStoreClock({ machine });
    const at = before.now();
    const kept = before.keep();
    state.wall += day;
    state.monotonic = 0;
    run(10 * second);
    const next = createStoreClock({ machine, kept });
    expect(next.now()).toBe(at + 10 * second);
  });

  it.each<[string, Partial<KeptClock>, number]>([
    ["takes the machine's after it was started anew", {}, 0],
    ["is not before what it said at last, also where the machine started with an older time", { at: Date.UTC(2026, 0, 9) }, 8 * day],
    ["takes no other machine's uptime for its own", { boot: undefined }, 0],
  ])("%s", (_words, change, ahead) => {
    const { machine, state } = createMachine({ boot: "second" });
    const kept = { boot: "first", apart: 17, at: Date.UTC(2025, 0, 1), ...change };
    expect(createStoreClock({ machine, kept }).now()).toBe(state.wall + ahead);
  });
});

describe("the clock of a folder", () => {
  it("is kept in the folder; one that was damaged is as none", () => {
    const folder = mkdtempSync(join(tmpdir(), "toolwright-clock-"));
    try {
      const { machine, state, run } = createMachine();
      expect(readClockGap(folder, machine)).toBeUndefined();
      const clock = openStoreClock(folder, { machine });
      expect(readClockGap(folder, machine)).toBe(0);
      run(second);
      const at = clock.now();
      clock.stop();
      state.wall += day;
      expect(readClockGap(folder, machine)).toBe(day);
      const next = openStoreClock(folder, { machine });
      next.stop();
      expect(next.now()).toBe(at);
      for (const text of ["", "{", "[]", '{"apart": "x", "at": 1}', readFileSync(join(folder, "clock.json"), "utf8").slice(0, -5)]) {
        writeFileSync(join(folder, "clock.json"), text);
        expect(readKeptClock(folder)).toBeUndefined();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
