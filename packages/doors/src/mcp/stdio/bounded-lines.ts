const lineFeed = 0x0a;
const smallest = 256;
/** Bytes at both ends of a line that is too long, which tell what kind of message it was. */
const endBytes = 1024;

/** A line without its line feed; `tooLong` holds the beginning and the end of one that was dropped. */
export type Line = { readonly bytes: Buffer } | { readonly tooLong: { readonly head: Buffer; readonly tail: Buffer } };

/** Splits a stream into lines, and keeps no more than `maxBytes` of one. Its work grows with the bytes alone, however they are cut into chunks. */
export class BoundedLines {
  readonly #maxBytes: number;
  #kept: Buffer = Buffer.alloc(0);
  #length = 0;
  /** The ends of a line that is too long; undefined while it is not. */
  #ends: { readonly head: Buffer; readonly tail: Buffer } | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk. */
  *push(chunk: Buffer): Generator<Line> {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      yield this.#endLine(chunk.subarray(from, end));
      from = end + 1;
    }
    if (from < chunk.length) this.#append(chunk.subarray(from));
  }

  #endLine(part: Buffer): Line {
    const isWhole = this.#length === 0 && this.#ends === undefined && part.length <= this.#maxBytes;
    if (isWhole) return { bytes: part };
    this.#append(part);
    const line: Line = this.#ends ? { tooLong: this.#ends } : { bytes: this.#kept.subarray(0, this.#length) };
    this.#kept = Buffer.alloc(0);
    this.#length = 0;
    this.#ends = undefined;
    return line;
  }

  #append(part: Buffer): void {
    const length = this.#length + part.length;
    if (this.#ends) this.#ends = { head: this.#ends.head, tail: lastOf(this.#ends.tail, part) };
    else if (length > this.#maxBytes) {
      const kept = this.#kept.subarray(0, this.#length);
      this.#ends = { head: firstOf(kept, part), tail: lastOf(kept, part) };
      this.#kept = Buffer.alloc(0);
      this.#length = 0;
    } else {
      if (length > this.#kept.length) {
        const grown = Buffer.allocUnsafeSlow(Math.max(length, Math.min(this.#kept.length * 2, this.#maxBytes), smallest));
        this.#kept.copy(grown, 0, 0, this.#length);
        this.#kept = grown;
      }
      part.copy(this.#kept, this.#length);
      this.#length = length;
    }
  }
}

function firstOf(before: Buffer, part: Buffer): Buffer {
  return Buffer.concat([before.subarray(0, endBytes), part.subarray(0, endBytes)]).subarray(0, endBytes);
}

function lastOf(before: Buffer, part: Buffer): Buffer {
  return Buffer.concat([before.subarray(-endBytes), part.subarray(-endBytes)]).subarray(-endBytes);
}
