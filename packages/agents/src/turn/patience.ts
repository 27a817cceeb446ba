import type { Clock } from "@toolwright/engine/ports";
import type { FailureWords } from "../models/model-failure.ts";
import { isEndedByServer, retryAfterMs } from "./model-error.ts";

/** Milliseconds for which a model that does not answer is asked again. */
const patienceMs = 600_000;
const firstPauseMs = 2_000;
const longestPauseMs = 60_000;
/** Answers that a server ended without an end, one after the other, until it surely does so each time. */
const mostUnfinished = 3;

/** How long a model that does not answer is asked again, and after which pause. */
export class Patience {
  readonly #clock: Clock;
  #since: number | undefined;
  #pauseMs = firstPauseMs;
  #unfinished = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  renew(): void {
    this.#since = undefined;
    this.#pauseMs = firstPauseMs;
    this.#unfinished = 0;
  }

  /** Milliseconds; undefined when it is over. */
  pauseAfter(error: unknown, words?: FailureWords): number | undefined {
    this.#unfinished = isEndedByServer(error, words) ? this.#unfinished + 1 : 0;
    if (this.#unfinished >= mostUnfinished) return undefined;
    const now = this.#clock.monotonic();
    this.#since ??= now;
    const wanted = retryAfterMs(error, this.#clock.now()) ?? this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    return now + wanted - this.#since > patienceMs ? undefined : wanted;
  }
}
