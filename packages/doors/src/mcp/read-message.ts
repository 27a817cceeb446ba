import { findOversize } from "../http/read-body.ts";

/** A JSON-RPC error that answers a text before any method sees it. */
export interface MessageFault {
  readonly code: number;
  readonly message: string;
}

/** Parses one JSON-RPC message, or says what is wrong with the text (R-MC-9). */
export function readMessage(text: string, maxDepth: number): { readonly body: object } | MessageFault {
  const oversize = findOversize(text, maxDepth);
  if (oversize !== undefined) return { code: -32600, message: `The request ${oversize}` };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { code: -32700, message: "The request is not valid JSON." };
  }
  if (Array.isArray(body)) return { code: -32600, message: "Batches are not part of the protocol any more. Send one message per request." };
  if (typeof body !== "object" || body === null) return { code: -32600, message: "The request is not a JSON-RPC message." };
  return { body };
}
