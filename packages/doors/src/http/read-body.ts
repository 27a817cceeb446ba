/** Text of a body, or what is wrong with it. */
export type BodyText = { readonly text: string } | { readonly fault: "too_large" | "not_utf8" };

/** Times the bytes that are kept: a body up to there is read to its end, since most clients hear no answer before they have sent all of it. */
const mostDiscarded = 16;

/** Reads the body of a request as UTF-8, and keeps no more than `maxBytes` of it. */
export async function readText(request: Request, maxBytes: number): Promise<BodyText> {
  const declared = request.headers.get("content-length");
  // HTTP gives no more bytes than were declared, so only a body of unknown length has to be counted as it comes.
  const isDeclaredLarge = Number(declared) > maxBytes;
  const isCounted = declared === null || isDeclaredLarge;
  const bytes = isCounted ? await readBytes(request, maxBytes) : new Uint8Array(await request.arrayBuffer());
  if (!bytes || isDeclaredLarge || bytes.length > maxBytes) return { fault: "too_large" };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { fault: "not_utf8" };
  }
}

/**
 * The bytes of a body; undefined when there are more than `maxBytes`, or when `isKept` refuses a chunk. `isKept` sees each chunk in turn until it
 * refuses one. The rest of the body is read and dropped.
 */
export async function readBytes(
  request: Request,
  maxBytes: number,
  isKept: (chunk: Uint8Array) => boolean = () => true,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!request.body) return new Uint8Array();
  let chunks: Uint8Array[] = [];
  let size = 0;
  let isTaken = true;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength;
    if (size > mostDiscarded * maxBytes) return undefined;
    isTaken &&= size <= maxBytes && isKept(chunk);
    if (isTaken) chunks.push(chunk);
    else chunks = [];
  }
  return isTaken ? Buffer.concat(chunks) : undefined;
}

const quote = 0x22;
const backslash = 0x5c;

/** Members and items of a body: a few more than the 50,000 of an input, which is refused with its own sentence. */
const mostMembers = 60_000;
/** Members of one object of a body: as many again as an input may have, which is refused with its own sentence. */
const mostNames = 20_000;
const comma = 0x2c;
const colon = 0x3a;

/** Names what is too large in JSON text, as the end of a sentence about it. Counts brackets, commas and colons outside strings, before a parser sees the text. */
export function findOversize(text: string, maxDepth: number): string | undefined {
  let depth = 0;
  let members = 0;
  /** Members of each object that is open, by its depth. */
  const names: number[] = [];
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === backslash) index++;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return `is nested deeper than ${maxDepth} levels.`;
      members++;
      names[depth] = 0;
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === comma) members++;
    else if (code === colon && ++names[depth]! > mostNames)
      return `has an object of more than ${mostNames} members. Send a list, or smaller parts.`;
    if (members > mostMembers) return `has more than ${mostMembers} members and items. Send it in smaller parts.`;
  }
  return undefined;
}
