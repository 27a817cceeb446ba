const firstAllocation = 4096;

/** Keeps the last `capacity` bytes of a stream and counts all of them. Memory grows with what was written, up to the capacity. */
export class ByteRing {
  readonly #capacity: number;
  #bytes = Buffer.alloc(0);
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = Math.max(0, Math.trunc(capacity));
  }

  /** Bytes ever written. */
  get total(): number {
    return this.#total;
  }

  /** Position of the oldest byte that is still held. */
  get start(): number {
    return Math.max(0, this.#total - this.#capacity);
  }

  push(chunk: Uint8Array): void {
    const kept = chunk.length > this.#capacity ? chunk.subarray(chunk.length - this.#capacity) : chunk;
    this.#total += chunk.length - kept.length;
    this.#grow(Math.min(this.#capacity, this.#total + kept.length));
    if (kept.length === 0) return;
    const at = this.#total % this.#capacity;
    const untilEnd = Math.min(kept.length, this.#capacity - at);
    this.#bytes.set(kept.subarray(0, untilEnd), at);
    this.#bytes.set(kept.subarray(untilEnd), 0);
    this.#total += kept.length;
  }

  /** A copy of the held bytes from `from` up to `to`, both positions in the whole stream. */
  slice(from: number, to: number): Buffer {
    const first = Math.min(Math.max(from, this.start), this.#total);
    const length = Math.max(0, Math.min(to, this.#total) - first);
    if (length === 0) return Buffer.alloc(0);
    const at = first % this.#capacity;
    const beforeWrap = this.#bytes.subarray(at, Math.min(at + length, this.#capacity));
    return Buffer.concat([beforeWrap, this.#bytes.subarray(0, length - beforeWrap.length)]);
  }

  #grow(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.min(this.#capacity, Math.max(needed, 2 * this.#bytes.length, firstAllocation)));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
