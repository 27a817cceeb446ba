import type { Clock } from "@toolwright/engine/ports";
import { type Owner, takenFor } from "../../http/owners.ts";
import { followBody } from "./follow-body.ts";
import { refuseTaken } from "./refusal.ts";

/** Milliseconds after which whoever has a stream open is asked again whether they still may. */
const againMs = 30_000;

interface NewsParts {
  readonly clock: Clock;
  readonly max: number;
}

/** Streams that tell what changed for as long as their clients want: a token that ends must end them, too. */
export class NewsStreams {
  readonly #open = new Set<Owner>();
  readonly #parts: NewsParts;

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  /** Holds what `answer` opens until its client leaves, or `mayStay` says no. */
  async hold(asker: Owner, { answer, mayStay }: { answer(): Promise<Response>; mayStay(): Promise<boolean> }): Promise<Response> {
    const taken = takenFor(asker, this.#open, this.#parts.max);
    if (taken) return refuseTaken(taken, "streams of news");
    const held = { ...asker };
    this.#open.add(held);
    let stop = () => {};
    const { answer: followed, end } = await followBody(answer(), () => {
      this.#open.delete(held);
      stop();
    });
    const again = async () => {
      if (!(await mayStay())) end();
      else if (this.#open.has(held)) stop = this.#parts.clock.after(againMs, again);
    };
    if (this.#open.has(held)) stop = this.#parts.clock.after(againMs, again);
    return followed;
  }
}
