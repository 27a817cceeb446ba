import type { Clock } from "../ports/clock.ts";

/** Resolves after so many milliseconds, or when the signal aborts. */
export function pause(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end, { keepAlive: true });
    signal?.addEventListener("abort", end, { once: true });
  });
}
