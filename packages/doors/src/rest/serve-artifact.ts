import { type ArtifactRef, type Scope, ToolwrightError } from "@toolwright/engine";
import type { RestParts } from "./door-options.ts";
import { problem, problemOf } from "./problem.ts";
import type { RestRequest } from "./serve-operation.ts";

/** A part of an artifact, in bytes; `end` is not in it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Serves `GET /artifacts/{id}/content`: what a tool kept, whole or a range of it, to be saved and not to be shown. */
export function serveArtifact({ engine, callerOf }: RestParts): (asked: RestRequest) => Promise<Response> {
  return async ({ request, principal, params: { id = "" } }) => {
    const scope = engine.scope(callerOf(principal, request));
    try {
      const { ref } = await scope.readArtifact(id, { length: 0 });
      const span = readRange(request.headers.get("range"), ref.size);
      if (span === "beyond") return refuseRange(ref);
      return await writeBytes(scope, ref, span);
    } catch (error) {
      if (ToolwrightError.is(error)) return problemOf(error);
      throw error;
    }
  };
}

/** One range of bytes (RFC 9110 section 14.1.2). Another unit, several ranges and what is not well formed are as no range at all. */
function readRange(header: string | null, size: number): Span | "beyond" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(" ", "") ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") return Number(last) === 0 || size === 0 ? "beyond" : { start: Math.max(0, size - Number(last)), end: size };
  const [start, end] = [Number(first), last === "" ? size : Math.min(size, Number(last) + 1)];
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? "beyond" : { start, end };
}

function refuseRange({ size }: ArtifactRef): Response {
  const headers = { "content-range": `bytes */${size}` };
  return problem({ code: "range_not_satisfiable", message: `The artifact has ${size} bytes. Ask for a range within them.`, headers });
}

async function writeBytes(scope: Scope, { id, name, mediaType, size }: ArtifactRef, span: Span | undefined): Promise<Response> {
  const { bytes } = await scope.readArtifact(id, span && { offset: span.start, length: span.end - span.start });
  const headers = {
    "content-type": mediaType,
    // RFC 8187; what is not a letter or digit is written as its bytes.
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "no-store",
    "accept-ranges": "bytes",
    ...(span && { "content-range": `bytes ${span.start}-${span.end - 1}/${size}` }),
  };
  return new Response(bytes as Uint8Array<ArrayBuffer>, { status: span ? 206 : 200, headers });
}
