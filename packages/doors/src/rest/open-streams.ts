import { type Owner, sayTaken, takenFor } from "../http/owners.ts";
import { problem } from "./problem.ts";

/** One of the streams that may be open. */
export interface OpenStream {
  free(): void;
}

/** Streams that are open at one time, so that nobody has all of them. */
export class OpenStreams {
  readonly #held = new Set<Owner>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** A place, or the answer for a caller that has no place for another one. */
  take(owner: Owner): OpenStream | Response {
    const taken = takenFor(owner, this.#held, this.#max);
    if (taken) return problem({ code: "too_many_calls", message: sayTaken(taken, "open streams") });
    const held = { ...owner };
    this.#held.add(held);
    return { free: () => void this.#held.delete(held) };
  }
}
