import { setImmediate as nextRound } from "node:timers/promises";
import { requestTurns } from "./request-turns.ts";

/**
 * Why the body of a request is refused: it has more bytes than it may have, is no UTF-8, or is JSON that is too large for a parser. `oversize` says in
 * which way, and completes a sentence that begins with the name of the text: "has more than 60000 members and items. Send it in smaller parts."
 */
export type BodyFault = { readonly fault: "too_large" | "not_utf8" } | { readonly fault: "oversize"; readonly oversize: string };

export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/** Times the bytes that are kept: a body up to there is read to its end, since most clients hear no answer before they have sent all of it. */
const mostDiscarded = 16;
/** Bytes that are read before others get their turn: a socket may hold many MiB, which would else be taken in one go. */
const roundBytes = 64 * 1024;
/** What a piece counts for at least: very small ones cost as much as this. */
const pieceBytes = 256;

/** Reads the body of a request as UTF-8, and keeps no more than `maxBytes` of it. JSON is measured by `meter` as it comes. */
export async function readText(request: Request, maxBytes: number, meter?: JsonMeter): Promise<{ readonly text: string } | BodyFault> {
  const declared = request.headers.get("content-length");
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isUtf8 = true;
  const decode = (bytes?: Uint8Array): string | undefined => {
    try {
      const piece = decoder.decode(bytes, { stream: bytes !== undefined });
      return (meter?.add(piece) ?? true) ? piece : undefined;
    } catch {
      isUtf8 = false;
      return undefined;
    }
  };
  // HTTP gives no more bytes than were declared, so a small body needs not be counted as it comes.
  const isSmall = declared !== null && Number(declared) <= Math.min(roundBytes, maxBytes);
  const pieces = isSmall ? [decode(new Uint8Array(await request.arrayBuffer()))] : await takeChunks(request, maxBytes, decode);
  if (pieces === "too_large" || Number(declared) > maxBytes) return { fault: "too_large" };
  const last = isUtf8 ? decode() : undefined;
  if (meter?.oversize !== undefined) return { fault: "oversize", oversize: meter.oversize };
  return isUtf8 ? { text: [...pieces, last].join("") } : { fault: "not_utf8" };
}

/**
 * The bytes of a body, in the chunks in which they came; undefined when there are more than `maxBytes`, or when `isKept` refuses a chunk. `isKept` sees
 * each chunk in turn until it refuses one. The rest of the body is read and dropped.
 */
export async function readChunks(
  request: Request,
  maxBytes: number,
  isKept: (chunk: Uint8Array) => boolean = () => true,
): Promise<readonly Uint8Array[] | undefined> {
  const chunks = await takeChunks(request, maxBytes, (chunk) => (isKept(chunk) ? chunk : undefined));
  return chunks === "too_large" || chunks === "refused" ? undefined : chunks;
}

/**
 * What `take` makes of each chunk of a body, until it answers undefined for one. From there on, and after more than `maxBytes`, what was taken is let
 * go, and the rest of the body is read and dropped.
 */
async function takeChunks<Taken>(
  request: Request,
  maxBytes: number,
  take: (chunk: Uint8Array) => Taken | undefined,
): Promise<readonly Taken[] | "refused" | "too_large"> {
  let taken: Taken[] | undefined = [];
  let size = 0;
  let readInRound = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > mostDiscarded * maxBytes) break;
    const one = taken && size <= maxBytes ? take(chunk) : undefined;
    if (one === undefined) taken = undefined;
    else taken?.push(one);
    readInRound += Math.max(pieceBytes, chunk.byteLength);
    if (readInRound < roundBytes) continue;
    readInRound = 0;
    await nextRound();
  }
  await requestTurns.arrived(request);
  if (size > maxBytes) return "too_large";
  return taken ?? "refused";
}

export const quote = 0x22;
export const backslash = 0x5c;

/** Members and items of a body: a few more than the 50,000 of an input, which is refused with its own sentence. */
const mostMembers = 60_000;
/** Members of one object of a body: as many again as an input may have, which is refused with its own sentence. */
const mostNames = 20_000;
const comma = 0x2c;
const colon = 0x3a;

/** Finds JSON text that is too large for a parser, while it comes in: counts brackets, commas and colons outside strings. */
export class JsonMeter {
  /**
   * In which way the text is too large: completes a sentence that begins with its name, such as "is nested deeper than 64 levels." Undefined while it is
   * not too large.
   */
  oversize: string | undefined;
  readonly #maxDepth: number;
  #depth = 0;
  #members = 0;
  /** Members of each object that is open, by its depth. */
  readonly #names: number[] = [];
  #inString = false;
  #isEscaped = false;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  /** False once the text is too large. */
  add(piece: string): boolean {
    this.oversize ??= this.#find(piece);
    return this.oversize === undefined;
  }

  #find(piece: string): string | undefined {
    const names = this.#names;
    let depth = this.#depth;
    let members = this.#members;
    let inString = this.#inString;
    let index = this.#isEscaped ? 1 : 0;
    for (; index < piece.length; index++) {
      const code = piece.charCodeAt(index);
      if (inString) {
        if (code === backslash) index++;
        else if (code === quote) inString = false;
      } else if (code === quote) inString = true;
      else if (code === 0x7b || code === 0x5b) {
        if (++depth > this.#maxDepth) return `is nested deeper than ${this.#maxDepth} levels.`;
        members++;
        names[depth] = 0;
      } else if (code === 0x7d || code === 0x5d) depth--;
      else if (code === comma) members++;
      else if (code === colon && ++names[depth]! > mostNames)
        return `has an object of more than ${mostNames} members. Send a list, or smaller parts.`;
      if (members > mostMembers) return `has more than ${mostMembers} members and items. Send it in smaller parts.`;
    }
    this.#depth = depth;
    this.#members = members;
    this.#inString = inString;
    this.#isEscaped = index > piece.length;
    return undefined;
  }
}

/** Says in which way JSON text is too large for a parser, as `JsonMeter` does. Undefined where it is not. */
export function findOversize(text: string, maxDepth: number): string | undefined {
  const meter = new JsonMeter(maxDepth);
  meter.add(text);
  return meter.oversize;
}
