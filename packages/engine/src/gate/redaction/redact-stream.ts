import type { Range } from "./redact-ranges.ts";

/** What stands where a secret stood. */
export const mark = "[redacted]";

/** What finds the secrets: more of them may come while the text does. */
interface Finder {
  readonly active: boolean;
  readonly longest: number;
  find(text: string, known?: readonly Range[]): readonly Range[];
}

/** Redacts a text that comes in chunks as if it had come whole: holds back what could be the beginning of a secret until `flush`. */
export class RedactingStream {
  readonly #finder: Finder;
  /** As it came. */
  #held = "";
  /** How much of the beginning of `#held` belongs to a mark that is out already; undefined when the text before it was no secret. */
  #marked: number | undefined;

  constructor(finder: Finder) {
    this.#finder = finder;
  }

  push(chunk: string): string {
    if (!this.#finder.active) return chunk;
    this.#held += chunk;
    return this.#release(this.#held.length - this.#finder.longest + 1);
  }

  flush(): string {
    const rest = this.#release(this.#held.length);
    this.#marked = undefined;
    return rest;
  }

  /** Gives what stands before `until`. A secret that begins there has been seen whole; one that ends after it stays known. */
  #release(until: number): string {
    if (until <= 0) return "";
    const known: readonly Range[] = this.#marked === undefined ? [] : [[0, this.#marked]];
    let released = "";
    let at = 0;
    let ended: number | undefined;
    for (const [start, end] of this.#finder.find(this.#held, known)) {
      if (start >= until) break;
      const isOut = start === 0 && this.#marked !== undefined;
      released += this.#held.slice(at, start) + (isOut ? "" : mark);
      at = end;
      ended = end;
    }
    released += this.#held.slice(at, Math.max(at, until));
    this.#held = this.#held.slice(until);
    this.#marked = ended !== undefined && ended >= until ? ended - until : undefined;
    return released;
  }
}
