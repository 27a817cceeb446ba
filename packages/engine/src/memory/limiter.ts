import type { Limiter, RateSubject } from "../ports/limiter.ts";

/** Keys that are remembered at most; beyond that, keys without a reservation in their window are forgotten. */
const mostKeys = 10_000;

/** A sliding window per key, in memory. */
export function createMemoryLimiter(): Limiter {
  const windows = new Map<string, { times: number[]; windowMs: number }>();
  const keyOf = ({ tenant, key }: RateSubject) => JSON.stringify([tenant, key]);
  return {
    count: (subject, windowMs, now) => windows.get(keyOf(subject))?.times.filter((time) => time > now - windowMs).length ?? 0,
    reserve(subject, rate, now) {
      const key = keyOf(subject);
      if (windows.size > mostKeys) forgetIdle(windows, now);
      const window = windows.get(key) ?? { times: [], windowMs: rate.windowMs };
      windows.set(key, window);
      const since = now - rate.windowMs;
      window.times = window.times.filter((time) => time > since);
      if (window.times.length >= rate.count) {
        const oldest = window.times[0];
        return { granted: false, retryAfterMs: oldest === undefined ? rate.windowMs : oldest + rate.windowMs - now };
      }
      window.times.push(now);
      let released = false;
      return {
        granted: true,
        release() {
          if (released) return;
          released = true;
          const index = window.times.lastIndexOf(now);
          if (index >= 0) window.times.splice(index, 1);
        },
      };
    },
  };
}

function forgetIdle(windows: Map<string, { times: number[]; windowMs: number }>, now: number): void {
  for (const [key, { times, windowMs }] of windows) {
    if (times.every((time) => time <= now - windowMs)) windows.delete(key);
  }
}
