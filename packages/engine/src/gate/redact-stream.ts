import type { Findings, Range } from "./redact-ranges.ts";

/** What stands where a secret stood. */
export const mark = "[redacted]";

/** What finds the secrets: more of them may come while the text does. */
interface Finder {
  readonly active: boolean;
  find(text: string, options: { readonly known: readonly Range[]; readonly isWhole: boolean }): Findings;
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

  /** Characters that are held back. */
  get held(): number {
    return this.#held.length;
  }

  push(chunk: string): string {
    if (!this.#finder.active) return chunk;
    this.#held += chunk;
    return this.#release({ isWhole: false });
  }

  flush(): string {
    const rest = this.#release({ isWhole: true });
    this.#marked = undefined;
    return rest;
  }

  /** Gives what is certain. A secret that begins in it has been seen whole; one that ends after it stays known. */
  #release({ isWhole }: { readonly isWhole: boolean }): string {
    const known: readonly Range[] = this.#marked === undefined ? [] : [[0, this.#marked]];
    const { ranges, until } = this.#finder.find(this.#held, { known, isWhole });
    if (until === 0) return "";
    let released = "";
    let at = 0;
    let ended: number | undefined;
    for (const [start, end] of ranges) {
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
