import { ByteRing } from "./byte-ring.ts";
import { brokenEnd, brokenStart } from "./text-cut.ts";

/** The two ends of a text; `missing` bytes lay between them. */
export interface HeadAndTail {
  readonly head: string;
  readonly tail: string;
  readonly total: number;
  readonly missing: number;
}

/** Keeps the first and the last half of a limit of UTF-8, whatever the length of the whole. */
export class HeadTail {
  readonly #headLimit: number;
  readonly #head: ByteRing;
  readonly #tail: ByteRing;

  constructor(maxBytes: number) {
    this.#headLimit = Math.ceil(maxBytes / 2);
    this.#head = new ByteRing(this.#headLimit);
    this.#tail = new ByteRing(Math.floor(maxBytes / 2));
  }

  get total(): number {
    return this.#head.total + this.#tail.total;
  }

  push(chunk: Uint8Array): void {
    const room = this.#headLimit - this.#head.total;
    if (room > 0) this.#head.push(chunk.subarray(0, room));
    if (chunk.length > room) this.#tail.push(chunk.subarray(Math.max(0, room)));
  }

  /** Everything that is held, without a word about a cut: right only while nothing is missing. */
  bytes(): Buffer {
    return Buffer.concat([this.#head.slice(0, this.#head.total), this.#tail.slice(0, this.#tail.total)]);
  }

  /** Cuts fall between characters. */
  ends(): HeadAndTail {
    const total = this.total;
    if (this.#tail.start === 0) return { head: this.bytes().toString("utf8"), tail: "", total, missing: 0 };
    const head = this.#head.slice(0, this.#head.total);
    const tail = this.#tail.slice(0, this.#tail.total);
    const wholeHead = head.subarray(0, head.length - brokenEnd(head));
    const wholeTail = tail.subarray(brokenStart(tail));
    const missing = total - wholeHead.length - wholeTail.length;
    return { head: wholeHead.toString("utf8"), tail: wholeTail.toString("utf8"), total, missing };
  }
}
