import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";

/** What a machine says of time, in milliseconds. */
export interface MachineTime {
  /** Since the epoch, as somebody set it. */
  wall(): number;
  /** Since the machine started, also while it slept; nobody sets it. */
  uptime(): number;
  /** As fine as can be, from any beginning; it may stand while the machine sleeps. */
  monotonic(): number;
  /** Which start of the machine `uptime` counts from; undefined where that cannot be said. */
  readonly boot: string | undefined;
}

/** Where the clock of a store stood. */
export interface KeptClock {
  readonly boot: string | undefined;
  /** Milliseconds of the store beyond the uptime of the machine. */
  readonly apart: number;
  /** Milliseconds since the epoch, of the store. */
  readonly at: number;
}

interface StoreClock {
  /** Milliseconds since the epoch. It never goes back. */
  now(): number;
  keep(): KeptClock;
}

/** Milliseconds by which a machine's clock is corrected in the ordinary way: the store follows at once. */
const ordinaryMs = 2_000;
/** Between a clock that was set and one that only runs, in milliseconds. */
const noticeMs = 50;
const checkMs = 1_000;
/** The share of passing time that the store makes up when the machine is ahead of it, and behind it. */
const aheadRate = 1;
const behindRate = 0.1;

interface StoreClockOptions {
  readonly machine: MachineTime;
  /** What the clock of the same store kept the last time. */
  readonly kept?: KeptClock | undefined;
  /** Hears by how many milliseconds the machine's clock was set ahead, or back (negative). */
  readonly onJump?: (ms: number) => void;
}

/**
 * The time of a store: the machine's, except for jumps. It counts on by the machine's uptime, which nobody sets, also from one process to the
 * next; from a machine that is ahead it makes up a second with each second, to one that is behind it loses a tenth, so that nothing expires
 * at once and nothing rests.
 */
export function createStoreClock({ machine, kept, onJump }: StoreClockOptions): StoreClock {
  const isSameStart = kept !== undefined && kept.boot !== undefined && kept.boot === machine.boot;
  let apart = isSameStart ? kept.apart : Math.max(machine.wall(), kept?.at ?? 0) - machine.uptime();
  let gap = 0;
  let last = 0;
  let base = 0;
  let checkedUptime = machine.uptime();
  let checkedAt = 0;
  let ran = 0;
  const check = (wall: number, monotonic: number) => {
    const up = machine.uptime();
    const difference = wall - (up + apart);
    if (Math.abs(difference - gap) > ordinaryMs) onJump?.(difference - gap);
    const passed = Math.max(0, up - checkedUptime);
    const step = Math.abs(difference) <= ordinaryMs ? Math.abs(difference) : passed * (difference > 0 ? aheadRate : behindRate);
    apart += Math.sign(difference) * Math.min(Math.abs(difference), step);
    gap = wall - (up + apart);
    base = up + apart - monotonic;
    checkedUptime = up;
    checkedAt = monotonic;
    ran = wall - monotonic;
  };
  const now = () => {
    const [wall, monotonic] = [machine.wall(), machine.monotonic()];
    if (last === 0 || Math.abs(wall - monotonic - ran) > noticeMs || monotonic - checkedAt > checkMs) check(wall, monotonic);
    last = Math.max(last, monotonic + base);
    return last;
  };
  return { now, keep: () => ({ boot: machine.boot, apart, at: now() }) };
}

/** This machine, with a wall clock that tests set. */
export function machineTime(wall: () => number = Date.now): MachineTime {
  return { wall, uptime: () => uptime() * 1_000, monotonic: () => performance.now(), boot: readBoot() };
}

function readBoot(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}

const fileOf = (folder: string) => join(folder, "clock.json");

/** Undefined for a store that has kept none, or none that can be read. */
export function readKeptClock(folder: string): KeptClock | undefined {
  try {
    const { boot, apart, at } = JSON.parse(readFileSync(fileOf(folder), "utf8"));
    if (!Number.isFinite(apart) || !Number.isFinite(at)) return undefined;
    return { boot: typeof boot === "string" ? boot : undefined, apart, at };
  } catch {
    return undefined;
  }
}

/** Milliseconds that the machine's clock is ahead of a store's, or behind it (negative); undefined before the store has kept any. */
export function readClockGap(folder: string, machine = machineTime()): number | undefined {
  const kept = readKeptClock(folder);
  if (kept === undefined) return undefined;
  const gap = machine.wall() - createStoreClock({ machine, kept }).now();
  return Math.abs(gap) > ordinaryMs ? Math.round(gap) : 0;
}

const keepEveryMs = 10_000;

/** The clock of a store in a folder, from the holder that was there before to the next one. `stop` keeps where it stands. */
export function openStoreClock(
  folder: string,
  { machine = machineTime(), onJump }: Partial<Omit<StoreClockOptions, "kept">> = {},
): StoreClock & { stop(): void } {
  const clock = createStoreClock({ machine, kept: readKeptClock(folder), ...(onJump && { onJump }) });
  const keep = () => {
    try {
      writeFileSync(`${fileOf(folder)}.new`, JSON.stringify(clock.keep()), { mode: 0o600 });
      renameSync(`${fileOf(folder)}.new`, fileOf(folder));
    } catch {
      // A disk without room: the one from before is as good until the machine starts again.
    }
  };
  keep();
  const timer = setInterval(keep, keepEveryMs).unref();
  return {
    ...clock,
    stop() {
      clearInterval(timer);
      keep();
    },
  };
}
