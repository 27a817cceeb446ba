import { sayTaken, type Taken } from "../../http/owners.ts";

/** A JSON-RPC error as a whole HTTP answer, for requests that never reach a method. */
export function refuse(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });
}

export function refuseTaken(taken: Taken, things: string): Response {
  return refuse(taken === "server" ? 503 : 429, -32000, sayTaken(taken, things));
}
