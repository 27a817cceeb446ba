import { ToolwrightError } from "@toolwright/engine";
import { nodeHttp } from "./node-http.ts";

/** One message as it will be sent. */
export interface OutgoingMessage {
  readonly method: string;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | Uint8Array | undefined;
}

const methods = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);
const bodiless = new Set(["GET", "HEAD", "OPTIONS"]);
/** RFC 9110 section 7.6.1 (hop by hop), framing, routing and proxy headers: they belong to the connection, not to the caller. */
const reserved = new Set([
  "host",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "http2-settings",
]);
/** Headers that say nothing about who asks; all others stay with the origin they were meant for. */
const portable = new Set(["accept", "accept-language", "accept-encoding", "user-agent"]);

/** True for a header that a caller may set and that no redirect takes to another origin. */
export function isBoundToOrigin(name: string): boolean {
  return !reserved.has(name) && !name.startsWith("proxy-") && !portable.has(name);
}

/** Checks what the caller wants to send. Throws `url_refused`. */
export function checkMessage(message: {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}): OutgoingMessage {
  const method = (message.method ?? "GET").toUpperCase();
  if (!methods.has(method)) throw refuse(`the method ${JSON.stringify(method)} is not one of ${[...methods].join(", ")}`);
  if (message.body !== undefined && bodiless.has(method)) throw refuse(`a ${method} request has no body; use POST, PUT, PATCH or DELETE`);
  const headers = new Map([
    ["accept-encoding", "gzip, br"],
    ["user-agent", "toolwright"],
  ]);
  for (const [name, value] of Object.entries(message.headers ?? {})) headers.set(checkHeader(name, value), value);
  return { method, headers, body: message.body };
}

function checkHeader(name: string, value: string): string {
  const key = name.toLowerCase();
  if (reserved.has(key) || key.startsWith("proxy-")) throw refuse(`the header ${key} is set by the connection; leave it out`);
  try {
    nodeHttp().validateHeaderName(key);
    nodeHttp().validateHeaderValue(key, value);
  } catch (cause) {
    throw refuse(`the header ${JSON.stringify(name)} has a name or value that HTTP does not allow`, cause);
  }
  return key;
}

/**
 * The message that follows a redirect (Fetch standard, "HTTP-redirect fetch"), or undefined when the redirect is not followed:
 * a message that would change something is never sent again to another origin.
 */
export function redirectMessage(message: OutgoingMessage, status: number, sameOrigin: boolean): OutgoingMessage | undefined {
  const turnsToGet = (status === 303 && message.method !== "HEAD") || ((status === 301 || status === 302) && message.method === "POST");
  const method = turnsToGet ? "GET" : message.method;
  if (!sameOrigin && !bodiless.has(method)) return undefined;
  const headers = [...message.headers].filter(
    ([name]) => (sameOrigin || portable.has(name)) && !(turnsToGet && name.startsWith("content-")),
  );
  return { method, headers: new Map(headers), body: turnsToGet ? undefined : message.body };
}

function refuse(problem: string, cause?: unknown): ToolwrightError {
  return new ToolwrightError("url_refused", `The request is refused: ${problem}.`, { cause });
}
