import type { Clock } from "@toolwright/engine/ports";
import { AnswerSilent } from "./model-error.ts";

/** Less than the call that runs a turn may be idle: then a person would read of the call, and nobody would ask again. */
const longestSilenceMs = 240_000;

/** Gives up a request to a model of which nothing comes. */
export class ModelSilence {
  readonly #clock: Clock;
  #giving = new AbortController();
  #joined: { readonly signal: AbortSignal; readonly beside: AbortSignal | undefined } | undefined;
  #heardAt = 0;
  #cancel = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A signal for a request that is about to be sent: aborts when the request is given up, and with the signal `beside`. */
  begin(beside: AbortSignal | undefined): AbortSignal {
    this.end();
    this.heard();
    const { signal } = this.#join(beside);
    this.#arm(this.#giving);
    return signal;
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  end(): void {
    this.#cancel();
  }

  /** One joined signal for all requests of a run, since joining signals is most of the cost. */
  #join(beside: AbortSignal | undefined) {
    const { signal } = this.#giving;
    if (this.#joined && this.#joined.beside === beside && !signal.aborted) return this.#joined;
    if (signal.aborted) this.#giving = new AbortController();
    this.#joined = { signal: AbortSignal.any([this.#giving.signal, beside ?? []].flat()), beside };
    return this.#joined;
  }

  #arm(giving: AbortController): void {
    const left = this.#heardAt + longestSilenceMs - this.#clock.monotonic();
    if (left <= 0) giving.abort(new AnswerSilent());
    else this.#cancel = this.#clock.after(left, () => this.#arm(giving));
  }
}
