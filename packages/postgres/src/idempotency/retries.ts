import { isOutage } from "../database/store-failure.ts";

const firstRetryMs = 250;
const mostRetryMs = 5_000;

export interface Retries {
  /** Does it now. Where the database is away or full it gives back `meanwhile`, and does it as soon as the database is there again. */
  once<Result>(work: () => Promise<Result>, meanwhile: Result): Promise<Result>;
  stop(): void;
}

/** For what has to reach the database sooner or later, while nobody should wait for it. */
export function createRetries(warn?: (message: string) => void): Retries {
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;
  const tryLater = (work: () => Promise<unknown>, afterMs: number) => {
    if (stopped) return;
    const timer = setTimeout(async () => {
      timers.delete(timer);
      try {
        await work();
      } catch (error) {
        if (isOutage(error)) tryLater(work, Math.min(afterMs * 2, mostRetryMs));
        else warn?.(`An idempotency key could not be brought up to date: ${String(error)}`);
      }
    }, afterMs);
    timers.add(timer.unref());
  };
  return {
    async once(work, meanwhile) {
      try {
        return await work();
      } catch (error) {
        if (!isOutage(error)) throw error;
        tryLater(work, firstRetryMs);
        return meanwhile;
      }
    },
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
