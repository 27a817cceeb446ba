import { type Owner, sayTaken, takenFor } from "../http/owners.ts";
import { problem } from "./problem.ts";

/** A place for one open stream. */
interface StreamSlot {
  /** Aborts when the door closes. */
  readonly closing: AbortSignal;
  free(): void;
}

/** Streams that are open at one time, so that nobody has all of them. */
export class StreamSlots {
  readonly #held = new Set<Owner>();
  readonly #max: number;
  readonly #closing = new AbortController();

  constructor(max: number) {
    this.#max = max;
  }

  /** A place, or the answer for a caller that has no place for another one. */
  take(owner: Owner): StreamSlot | Response {
    const taken = takenFor(owner, this.#held, this.#max);
    if (taken) return problem({ code: "too_many_calls", message: sayTaken(taken, "open streams") });
    const held = { ...owner };
    this.#held.add(held);
    return { closing: this.#closing.signal, free: () => void this.#held.delete(held) };
  }

  /** Ends the streams that are open: no end of their own is to be waited for. */
  close(): void {
    this.#closing.abort();
  }
}
