/** Time, so that tests need not sleep. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start that never go back. */
  monotonic(): number;
  /** Calls back once after `ms`, unless the returned function was called before. Keeps the process alive only when asked to. */
  after(ms: number, callback: () => void, options?: { readonly keepAlive?: boolean }): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, options) {
    const timer = setTimeout(callback, ms);
    if (!options?.keepAlive) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Calls back every so many milliseconds until the returned function is called, and keeps the process alive until then. */
export function every(ms: number, clock: Clock, callback: () => void): () => void {
  const next = () => {
    cancel = clock.after(ms, next, { keepAlive: true });
    callback();
  };
  let cancel = clock.after(ms, next, { keepAlive: true });
  return () => cancel();
}

/** Resolves after so many milliseconds, or when the signal aborts. Keeps the process alive until then. */
export function pause(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end, { keepAlive: true });
    signal?.addEventListener("abort", end, { once: true });
  });
}
