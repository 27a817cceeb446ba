import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { WrittenResponse } from "@toolwright/doors/http";
import { acceptsCoding } from "./accepts-coding.ts";

const compress = promisify(gzip);

/** Characters below which an answer fits into few packets as it is. */
const leastText = 4_096;
/** Quick: a slower level makes lists of tools a twentieth smaller. */
const level = 4;

/**
 * Whether an answer may be compressed: only one that a page of this server asked for (Fetch metadata, which no page can set). Another site cannot have
 * such answers made, so it learns nothing of their secrets from how long they are.
 */
export function isCompressible({ headers }: Request): boolean {
  return headers.get("sec-fetch-site") === "same-origin" && acceptsCoding(headers.get("accept-encoding") ?? "", "gzip");
}

/** JSON of some length, compressed. Files and what has a version are sent as they are: their headers speak of these bytes. */
export async function compressAnswer(response: Response): Promise<Response> {
  const { headers, status } = response;
  if (!headers.get("content-type")?.startsWith("application/json")) return response;
  if (["content-encoding", "content-disposition", "accept-ranges", "etag"].some((name) => headers.has(name))) return response;
  const text = response instanceof WrittenResponse ? response.written : await response.text();
  if (text.length < leastText) return response instanceof WrittenResponse ? response : new Response(text, { status, headers });
  const fields = new Headers(headers);
  fields.delete("content-length");
  fields.set("content-encoding", "gzip");
  fields.append("vary", "accept-encoding, sec-fetch-site");
  return new Response(new Uint8Array(await compress(text, { level })), { status, headers: fields });
}
