/** Parts of one body. */
export const mostParts = 1_000;
/** Bytes of the headers of all parts together. */
export const mostHeaderBytes = 256 * 1024;

const headerEnd = "\r\n\r\n";
const dash = 0x2d;

/** The boundary that a media type of multipart names; undefined where it names none. */
export function boundaryOf(type: string): string | undefined {
  const found = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70})(?=\s*(?:;|$)))/i.exec(type);
  return found?.[1] ?? found?.[2];
}

/**
 * Counts the parts of a multipart body and the bytes of their headers while the body comes in, before anything parses it, as each part costs its
 * parser far more than its bytes. Looks at nothing that comes after a limit.
 */
export class MultipartMeter {
  /** No more than `mostParts + 1` are counted. */
  parts = 0;
  /** No more than a little over `mostHeaderBytes` are counted. */
  headerBytes = 0;
  readonly #boundary: string;
  #isInHeaders = false;
  /** The end of what came so far, in which a boundary or the end of headers may begin. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(boundary: string) {
    this.#boundary = boundary;
  }

  get isOver(): boolean {
    return this.parts > mostParts || this.headerBytes > mostHeaderBytes;
  }

  /** False once the body is over a limit. */
  add(chunk: Uint8Array): boolean {
    if (this.isOver) return false;
    const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, view]) : view;
    let at: number | undefined = 0;
    while (at !== undefined && !this.isOver) at = this.#isInHeaders ? this.#passHeaders(data, at) : this.#passContent(data, at);
    return !this.isOver;
  }

  /** Where the headers of the next part begin; undefined when more has to come first. */
  #passContent(data: Buffer, from: number): number | undefined {
    const found = data.indexOf(this.#boundary, from);
    const at = found + this.#boundary.length;
    if (found === -1 || at + 2 > data.length) {
      this.#rest = data.subarray(found === -1 ? Math.max(from, data.length - this.#boundary.length + 1) : found);
      return undefined;
    }
    if (data[at] === dash && data[at + 1] === dash) return at;
    this.parts += 1;
    this.#isInHeaders = true;
    return at;
  }

  /** Where the content of the part begins; undefined when more has to come first. */
  #passHeaders(data: Buffer, from: number): number | undefined {
    const looked = data.subarray(from, from + mostHeaderBytes + headerEnd.length);
    const end = looked.indexOf(headerEnd);
    if (end === -1) {
      const passed = Math.max(0, looked.length - headerEnd.length + 1);
      this.headerBytes += passed;
      this.#rest = data.subarray(from + passed);
      return undefined;
    }
    this.headerBytes += end;
    this.#isInHeaders = false;
    return from + end + headerEnd.length;
  }
}
