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
  return { body: text.includes("null") ? withoutNulls(body as Members) : body };
}

type Members = Readonly<Record<string, unknown>>;

/** Members whose own members the client gives to a tool or a form: null may be a value there. */
const given: ReadonlySet<string> = new Set(["arguments", "content", "inputResponses"]);

/** Many clients write null for a member that is absent, which the protocol has no place for. */
function withoutNulls(message: Members): Members {
  const { params, result } = message;
  const { params: _, ...rest } = message;
  return {
    ...rest,
    ...(isMembers(params) ? { params: dropNulls(params) } : params !== null && params !== undefined && { params }),
    ...(isMembers(result) && { result: dropNulls(result) }),
  };
}

function dropNulls(members: Members): Members {
  if (!Object.values(members).some((member) => member === null || isMembers(member))) return members;
  const kept = Object.entries(members).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, isMembers(member) && !given.has(name) ? dropNulls(member) : member]));
}

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);
