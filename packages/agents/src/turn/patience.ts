import type { Clock } from "@toolwright/engine/ports";
import { retryAfterMs } from "./model-error.ts";

/** Milliseconds for which a model that does not answer is asked again. */
const patienceMs = 600_000;
const firstPauseMs = 2_000;
const longestPauseMs = 60_000;

/** How long a model that does not answer is asked again, and after which pause. */
export class Patience {
  readonly #clock: Clock;
  #since: number | undefined;
  #pauseMs = firstPauseMs;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  renew(): void {
    this.#since = undefined;
    this.#pauseMs = firstPauseMs;
  }

  /** Milliseconds; undefined when it is over. */
  pauseAfter(error: unknown): number | undefined {
    const now = this.#clock.monotonic();
    this.#since ??= now;
    const wanted = retryAfterMs(error, this.#clock.now()) ?? this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    return now + wanted - this.#since > patienceMs ? undefined : wanted;
  }
}
