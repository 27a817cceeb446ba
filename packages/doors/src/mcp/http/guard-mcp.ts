import { bearerAuthChallengeResponse, isJsonContentType } from "@modelcontextprotocol/server";
import type { Logger, Principal } from "@toolwright/engine";
import type { GuardOptions } from "../../http/authentication.ts";
import { createGuard, type Refusal } from "../../http/guard-request.ts";
import { findOversize, readText } from "../../http/read-body.ts";
import { refuse } from "./refusal.ts";

/** Says who asks, or answers as MCP writes a refusal. */
export function createMcpGuard(options: GuardOptions, logger: Logger): (request: Request) => Promise<Principal | Response> {
  const guard = createGuard(options, logger);
  return async (request) => {
    const principal = await guard(request);
    if ("refused" in principal) return writeRefusal(principal, options);
    if (request.method === "POST" && !isJsonContentType(request.headers.get("content-type"))) {
      return refuse(415, -32600, "The Content-Type must be application/json.");
    }
    return principal;
  };
}

function writeRefusal(
  { refused, status, message, headers, error }: Refusal,
  { authentication, resourceMetadataUrl }: GuardOptions,
): Response {
  if (error)
    return bearerAuthChallengeResponse(error, {
      requiredScopes: [...(authentication.scopes ?? [])],
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    });
  return refuse(status, refused === "misdirected" ? -32000 : -32600, message, headers);
}

interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/** The parsed body of a POST, or the answer that refuses it (R-MC-9). */
export async function readJsonBody(request: Request, { maxBytes, maxDepth }: BodyLimits): Promise<{ readonly body: unknown } | Response> {
  const read = await readText(request, maxBytes);
  if (!("fault" in read)) {
    const oversize = findOversize(read.text, maxDepth);
    if (oversize !== undefined) return refuse(400, -32600, `The request ${oversize}`);
    return parseMessage(read.text);
  }
  if (read.fault === "not_utf8") return refuse(400, -32700, "The request is not valid UTF-8.");
  return refuse(413, -32600, `The request is larger than ${maxBytes} bytes.`);
}

function parseMessage(text: string): { readonly body: unknown } | Response {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return refuse(400, -32700, "The request is not valid JSON.");
  }
  if (Array.isArray(body)) return refuse(400, -32600, "Batches are not part of the protocol any more. Send one message per request.");
  if (typeof body !== "object" || body === null) return refuse(400, -32600, "The request is not a JSON-RPC message.");
  return { body };
}
