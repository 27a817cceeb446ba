import type { Clock } from "@toolwright/engine/ports";

interface LookOptions {
  readonly clock: Clock;
  /** Milliseconds from the end of one look to the beginning of the next. */
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
  /** Milliseconds that a look may go on when it is stopped. Default 0. */
  readonly finishMs?: number | undefined;
}

/** Looks now, and again some time after each look, until the function that it returns is called; that one resolves when no look is left. */
export function keepLooking(
  look: (signal: AbortSignal) => Promise<void>,
  { clock, everyMs, onError, finishMs = 0 }: LookOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isStopped = false;
  let cancel = () => {};
  const lookOnce = async () => {
    try {
      await look(signal);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    if (isStopped) return;
    cancel = clock.after(everyMs, () => {
      looking = lookOnce();
    });
  };
  let looking = lookOnce();
  return async () => {
    isStopped = true;
    cancel();
    if (finishMs === 0) stopping.abort();
    const notLonger = clock.after(finishMs, () => stopping.abort());
    await looking;
    notLonger();
  };
}
