import { type Clock, pause } from "@toolwright/engine/ports";

/** The end of a process, for the turns that run in it: each is let go of where it stands, and goes on in another process. */
export class Leaving {
  readonly #begun = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  /** Aborts when the process begins to end. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  /** Counts a turn as one that runs here until it has settled. */
  hold<Outcome>(turn: Promise<Outcome>): Promise<Outcome> {
    this.#running.add(turn);
    return turn.finally(() => this.#running.delete(turn));
  }

  /** Lets go of every turn. Resolves when none runs here any more, at the latest after so many milliseconds: calls of tools may take longer. */
  async begin(mostMs: number, clock: Clock): Promise<void> {
    this.#begun.abort();
    const over = new AbortController();
    await Promise.race([Promise.allSettled(this.#running), pause(mostMs, clock, over.signal)]);
    over.abort();
  }
}
