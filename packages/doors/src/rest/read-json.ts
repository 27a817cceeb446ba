import { type BodyFault, type BodyLimits, backslash, findOversize, JsonMeter, quote, readText } from "../http/read-body.ts";
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

/** What opens a string, and opens and closes an object. */
const marks = /["{}]/g;
const colonAfter = /\s*:/y;

/** The first member, as it is written, that an object of valid JSON text has twice. */
function findTwice(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; ; ) {
    marks.lastIndex = at;
    const mark = marks.exec(text);
    if (!mark) return undefined;
    at = mark.index + 1;
    if (mark[0] === "{") open.push(new Set());
    else if (mark[0] === "}") open.pop();
    else {
      const end = endOfString(text, at);
      colonAfter.lastIndex = end;
      if (colonAfter.test(text)) {
        const written = text.slice(mark.index, end);
        const name = written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
        const names = open.at(-1);
        if (names?.has(name)) return written;
        names?.add(name);
      }
      at = end;
    }
  }
}

/** The place behind the quotation mark that ends a string of valid JSON text. An expression would keep a place to go back to for each escape. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) at += code === backslash ? 2 : 1;
  return at + 1;
}
