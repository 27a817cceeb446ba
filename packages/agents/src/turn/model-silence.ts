import type { Clock } from "@toolwright/engine/ports";
import { AnswerBrokeOff } from "./model-error.ts";

/** Less than the call that runs a turn may be idle: then a person would read of the call, and nobody would ask again. */
const longestSilenceMs = 240_000;

/** Gives up a request to a model of which nothing comes. */
export class ModelSilence {
  readonly #clock: Clock;
  #heardAt = 0;
  #cancel = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Of a request that is about to be sent: aborts when it is given up. */
  begin(): AbortSignal {
    const giving = new AbortController();
    const arm = () => {
      const left = this.#heardAt + longestSilenceMs - this.#clock.monotonic();
      if (left <= 0) giving.abort(new AnswerBrokeOff());
      else this.#cancel = this.#clock.after(left, arm);
    };
    this.end();
    this.heard();
    arm();
    return giving.signal;
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  end(): void {
    this.#cancel();
  }
}
