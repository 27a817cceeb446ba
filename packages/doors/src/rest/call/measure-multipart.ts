/** Parts of one body. */
export const mostParts = 1_000;
/** Bytes of the headers of all parts together. */
export const mostHeaderBytes = 256 * 1024;

export interface MultipartSize {
  readonly boundary: string;
  /** No more than `mostParts + 1` are counted. */
  readonly parts: number;
  /** No more than a little over `mostHeaderBytes` are counted. */
  readonly headerBytes: number;
}

const headerEnd = "\r\n\r\n";

/**
 * Counts the parts of a multipart body and the bytes of their headers before anything parses it, as each part costs its parser far more than its
 * bytes. Undefined where the media type names no boundary.
 */
export function measureMultipart(bytes: Uint8Array, type: string): MultipartSize | undefined {
  const found = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70})(?=\s*(?:;|$)))/i.exec(type);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) return undefined;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [parts, headerBytes] = [0, 0];
  for (let at = body.indexOf(boundary); at !== -1; at = body.indexOf(boundary, at)) {
    at += boundary.length;
    if (body[at] === 0x2d && body[at + 1] === 0x2d) continue;
    parts += 1;
    const rest = body.subarray(at, at + mostHeaderBytes + headerEnd.length);
    const end = rest.indexOf(headerEnd);
    headerBytes += end === -1 ? rest.length : end;
    if (parts > mostParts || headerBytes > mostHeaderBytes) break;
  }
  return { boundary, parts, headerBytes };
}
