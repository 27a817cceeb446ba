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
