import { pipeline, type Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from "node:zlib";

export interface BoundedBody {
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

const maxCodings = 3;

/** Reads a body up to `maxBytes` decoded bytes and drops the rest unread. A coding that is not known leaves the body as it is. */
export async function readBody(stream: Readable, coding: string, limit: { maxBytes: number; onData: () => void }): Promise<BoundedBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of decode(stream, coding) as AsyncIterable<Uint8Array>) {
    limit.onData();
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > limit.maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, limit.maxBytes), truncated: size > limit.maxBytes };
}

/** The body as it is meant. */
export function decode(stream: Readable, coding: string): Readable {
  const decoders = decodersFor(coding);
  if (decoders.length === 0) return stream;
  // The reader of the last stream learns of every error; the callback only keeps it from being thrown twice.
  return pipeline([stream, ...decoders], () => {}) as unknown as Readable;
}

function decodersFor(coding: string): Transform[] {
  const names = coding.split(",").flatMap((name) => name.trim().toLowerCase() || []);
  const makers = names.filter((name) => name !== "identity").map((name) => decoderOf.get(name));
  if (makers.length > maxCodings || makers.includes(undefined)) return [];
  // RFC 9110 section 8.4: codings are listed in the order in which they were applied.
  return makers.toReversed().map((make) => make!());
}

const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
const decoderOf = new Map<string, () => Transform>([
  ["gzip", () => createUnzip(lenient)],
  ["x-gzip", () => createUnzip(lenient)],
  ["deflate", () => createUnzip(lenient)],
  ["br", () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
  ["zstd", () => createZstdDecompress({ finishFlush: constants.ZSTD_e_flush })],
]);
