import { findOversize } from "../http/read-body.ts";

/** A JSON-RPC error that answers a text before any method sees it. */
export interface MessageFault {
  readonly code: number;
  readonly message: string;
}

/** Parses one JSON-RPC message, or says what is wrong with the text (R-MC-9). */
export function readMessage(text: string, maxDepth: number): { readonly body: object } | MessageFault {
  const oversize = findOversize(text, maxDepth);
  return oversize === undefined ? parseMessage(text) : oversized(oversize);
}

export const oversized = (oversize: string): MessageFault => ({ code: -32600, message: `The request ${oversize}` });

/** Parses a message that was measured as it came. */
export function parseMessage(text: string): { readonly body: object } | MessageFault {
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
