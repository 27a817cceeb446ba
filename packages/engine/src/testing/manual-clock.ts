import type { Clock } from "../ports/clock.ts";

export interface ManualClock extends Clock {
  /** Moves time on and runs what is due, in order. */
  advance(ms: number): Promise<void>;
}

/** One turn of the event loop, so that what is ready has run. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands still until it is told to move. */
export function createManualClock(start = 1_000_000): ManualClock {
  let now = start;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      await turn();
      const end = now + ms;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers = timers.filter((timer) => timer !== due);
        now = due.at;
        due.callback();
        await turn();
      }
      now = end;
      await turn();
    },
  };
}
