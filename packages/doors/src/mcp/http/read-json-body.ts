import { refuse } from "./refusal.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/** The parsed body of a POST, or the answer that refuses it (R-MC-9). */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<{ readonly body: unknown } | Response> {
  const tooLarge = () => refuse(413, -32600, `The request is larger than ${limits.maxBytes} bytes.`);
  const declared = request.headers.get("content-length");
  if (Number(declared) > limits.maxBytes) return tooLarge();
  // HTTP gives no more bytes than were declared, so only a body of unknown length has to be counted as it comes.
  const bytes = declared === null ? await readBytes(request, limits.maxBytes) : new Uint8Array(await request.arrayBuffer());
  if (!bytes || bytes.length > limits.maxBytes) return tooLarge();
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse(400, -32700, "The request is not valid UTF-8.");
  }
  if (isDeeperThan(text, limits.maxDepth)) return refuse(400, -32600, `The request is nested deeper than ${limits.maxDepth} levels.`);
  return parseMessage(text);
}

function parseMessage(text: string): { readonly body: unknown } | Response {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return refuse(400, -32700, "The request is not valid JSON.");
  }
  if (Array.isArray(body)) return refuse(400, -32600, "Batches are not part of the protocol any more. Send one message per request.");
  if (typeof body !== "object" || body === null) return refuse(400, -32600, "The request is not a JSON-RPC message.");
  return { body };
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

const quote = 0x22;
const backslash = 0x5c;

/** Counts brackets outside strings, before anything recursive sees the text. */
function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === backslash) index++;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
