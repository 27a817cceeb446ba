import { type BodyFault, type BodyLimits, findOversize, JsonMeter, readText } from "../http/read-body.ts";
import { problem } from "./problem.ts";

/** The JSON of a request, or the answer that refuses it. A request without a body has an empty object. */
export async function readJson(request: Request, limits: BodyLimits): Promise<{ readonly json: unknown } | Response> {
  const type = request.headers.get("content-type");
  if (type !== null && !isJson(type)) return refuseType("application/json");
  const read = await readText(request, limits.maxBytes, new JsonMeter(limits.maxDepth));
  if ("fault" in read) return refuseBody(read, limits);
  if (read.text.trim() === "") return { json: {} };
  if (type === null) return refuseType("application/json");
  return parseMeasured(read.text);
}

function refuseBody(read: BodyFault, { maxBytes }: BodyLimits): Response {
  switch (read.fault) {
    case "too_large":
      return tooLarge(maxBytes);
    case "not_utf8":
      return malformed("The body is not valid UTF-8.");
    case "oversize":
      return oversized(read.oversize);
  }
}

const oversized = (oversize: string) => malformed(`The body ${oversize}`);

export function isJson(type: string): boolean {
  return /^application\/json(?:\s*;|$)/i.test(type.trim());
}

export function refuseType(taken: string): Response {
  return problem({ code: "media_type_unsupported", message: `Send the body as ${taken}.`, headers: { accept: taken } });
}

export function tooLarge(maxBytes: number): Response {
  return refuseSize(`The body is larger than ${maxBytes} bytes. Send less, or raise the limit of the server.`);
}

export function refuseSize(message: string): Response {
  // What was not read of the body is nobody's next request.
  return problem({ code: "request_too_large", message, headers: { connection: "close" } });
}

export function malformed(message: string): Response {
  return problem({ code: "request_malformed", message });
}

/** Reads JSON text, in which no object may name a member twice: two readers could take different ones. */
export function parseJson(text: string, { maxDepth }: Pick<BodyLimits, "maxDepth">): { readonly json: unknown } | Response {
  const oversize = findOversize(text, maxDepth);
  return oversize === undefined ? parseMeasured(text) : oversized(oversize);
}

function parseMeasured(text: string): { readonly json: unknown } | Response {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return malformed(`The body is not valid JSON: ${(error as Error).message}.`);
  }
  const twice = findTwice(text);
  return twice === undefined ? { json } : malformed(`The body names the member ${twice} twice in one object. Send it once.`);
}

/** Strings, and what opens, closes and names members. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/gs;

/** The first member, as it is written, that an object of valid JSON text has twice. */
function findTwice(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (colon !== undefined) {
      const written = token.slice(0, -colon.length);
      const name = written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
      const names = open.at(-1);
      if (names?.has(name)) return written;
      names?.add(name);
    }
  }
  return undefined;
}
