/** Takes a token off the beginning of an output. An output that begins otherwise comes through as it is, and nothing is announced. */
export class PrintedToken {
  readonly #token: Buffer;
  readonly #announce: () => void;
  #seen = Buffer.alloc(0);
  #done = false;

  constructor(token: string, announce: () => void) {
    this.#token = Buffer.from(token);
    this.#announce = announce;
  }

  /** What of the output so far may be passed on. */
  take(chunk: Buffer): Buffer {
    if (this.#done) return chunk;
    this.#seen = Buffer.concat([this.#seen, chunk]);
    const begun = this.#seen.subarray(0, this.#token.length);
    if (begun.length < this.#token.length && this.#token.subarray(0, begun.length).equals(begun)) return Buffer.alloc(0);
    this.#done = true;
    if (!begun.equals(this.#token)) return this.#seen;
    this.#announce();
    return this.#seen.subarray(this.#token.length);
  }
}
