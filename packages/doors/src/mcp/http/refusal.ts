import type { ToolwrightError } from "@toolwright/engine";
import { sayTaken, type Taken } from "../../http/owners.ts";
import { WrittenResponse } from "../../http/written-response.ts";
import type { ParamMismatch } from "./param-headers.ts";

/** A JSON-RPC error as a whole HTTP answer, for requests that never reach a method. */
export function refuse(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return WrittenResponse.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });
}

/** As the protocol layer answers when a header and the body disagree. */
export function refuseMismatch(id: string | number, { header, body }: ParamMismatch): Response {
  const message = `Bad Request: the request headers and body disagree: ${body}`;
  return WrittenResponse.json(
    { jsonrpc: "2.0", error: { code: -32020, message, data: { mismatch: { header, body } } }, id },
    { status: 400 },
  );
}

/** Where too many requests of one person wait: `Retry-After` says when to come again. */
export function refuseBusy({ message, details }: ToolwrightError): Response {
  const { retryAfterMs } = details as { readonly retryAfterMs: number };
  return refuse(503, -32000, message, { "retry-after": String(Math.ceil(retryAfterMs / 1000)) });
}

export function refuseTaken(taken: Taken, things: string): Response {
  return refuse(taken === "server" ? 503 : 429, -32000, sayTaken(taken, things));
}
