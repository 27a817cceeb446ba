import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { type ArtifactRef, type Scope, ToolwrightError } from "@toolwright/engine";
import { callMetaKey } from "./call/call-meta.ts";

const scheme = "artifact://";
/** Bytes of an artifact in one answer. */
const pageBytes = 256 * 1024;

export function artifactUri(id: string, offset = 0): string {
  return offset === 0 ? `${scheme}${id}` : `${scheme}${id}?offset=${offset}`;
}

export function isArtifactUri(uri: string): boolean {
  return uri.startsWith(scheme);
}

export const artifactTemplate: ResourceTemplateType = {
  uriTemplate: `${scheme}{id}{?offset,length}`,
  name: "artifact",
  title: "Artifact of a call",
  description: `The whole of an output that was cut, or a file that a tool saved, in pages of at most ${pageBytes} bytes. _meta names the next page.`,
};

export function artifactResource({ id, name, mediaType, size }: ArtifactRef): Resource {
  return { uri: artifactUri(id), name, mimeType: mediaType, size };
}

export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Resource not found", { uri });
}

/** One page of an artifact. Text is cut between characters. */
export async function readArtifact(uri: string, scope: Scope): Promise<ReadResourceResult> {
  const { id, offset, length } = parseUri(uri);
  const { ref, bytes } = await read(uri, scope, { id, offset, length });
  const isText = /^text\/|[/+](json|xml|yaml)$/.test(ref.mediaType);
  const page = isText ? wholeCharacters(bytes, offset + bytes.length >= ref.size) : bytes;
  const next = offset + page.length;
  return {
    contents: [
      {
        uri,
        mimeType: ref.mediaType,
        ...(isText ? { text: new TextDecoder().decode(page) } : { blob: Buffer.from(page).toString("base64") }),
        _meta: {
          [callMetaKey]: {
            offset,
            bytes: page.length,
            size: ref.size,
            ...(next < ref.size && page.length > 0 && { next: artifactUri(id, next) }),
          },
        },
      },
    ],
  };
}

async function read(uri: string, scope: Scope, { id, offset, length }: ReturnType<typeof parseUri>) {
  try {
    return await scope.readArtifact(id, { offset, length });
  } catch (error) {
    if (ToolwrightError.is(error) && error.code === "artifact_not_found") throw resourceNotFound(uri);
    throw error;
  }
}

function parseUri(uri: string): { id: string; offset: number; length: number } {
  const match = /^artifact:\/\/([\w-]{1,128})(?:\?(.*))?$/.exec(uri);
  const query = new URLSearchParams(match?.[2] ?? "");
  const offset = Number(query.get("offset") ?? 0);
  const length = Number(query.get("length") ?? pageBytes);
  if (!match?.[1] || !Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 1)
    throw resourceNotFound(uri);
  return { id: match[1], offset, length: Math.min(length, pageBytes) };
}

/** Leaves out a character of UTF-8 that the end of the page splits. */
function wholeCharacters(bytes: Uint8Array, isLast: boolean): Uint8Array {
  if (isLast) return bytes;
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  const lead = bytes[end - 1] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - (end - 1) >= needed ? bytes : bytes.subarray(0, end - 1);
}
