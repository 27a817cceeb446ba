import { createHash, timingSafeEqual } from "node:crypto";
import {
  bearerAuthChallengeResponse,
  hostHeaderValidationResponse,
  isJsonContentType,
  localhostAllowedHostnames,
  OAuthError,
  OAuthErrorCode,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Logger, Principal } from "@toolwright/engine";
import { refuse } from "./refusal.ts";

/** Whom a door serves, and under which names. */
export interface GuardOptions {
  readonly authentication: Authentication;
  /** Host names without port that requests may be addressed to. Default: loopback names. Other names need authentication. */
  readonly allowedHosts?: readonly string[];
  /** Host names of web pages that may call. Default: loopback names. */
  readonly allowedOrigins?: readonly string[];
  /** RFC 9728 metadata document, named in 401 answers. */
  readonly resourceMetadataUrl?: string;
}

const tokenParameters = ["access_token", "token"];

/** Says who asks, or the answer that refuses. */
type Guard = (request: Request) => Promise<Principal | Response>;

/** Every method passes here, streams too (R-MC-4). */
export function createGuard(options: GuardOptions, logger: Logger): Guard {
  const hosts = [...(options.allowedHosts ?? localhostAllowedHostnames())];
  const origins = [...(options.allowedOrigins ?? localhostAllowedHostnames())];
  return async (request) => {
    const misdirected = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins);
    if (misdirected) return misdirected;
    if (hasTokenInUrl(request.url)) {
      return refuse(400, -32600, "A token may not be part of the URL, where logs keep it. Send it in the Authorization header.");
    }
    const principal = await authenticate(request, options, logger);
    if (principal instanceof Response) return principal;
    if (request.method === "POST" && !isJsonContentType(request.headers.get("content-type"))) {
      return refuse(415, -32600, "The Content-Type must be application/json.");
    }
    return principal;
  };
}

function hasTokenInUrl(url: string): boolean {
  if (!url.includes("?")) return false;
  const { searchParams } = new URL(url);
  return tokenParameters.some((name) => searchParams.has(name));
}

async function authenticate(request: Request, options: GuardOptions, logger: Logger): Promise<Principal | Response> {
  try {
    return (await options.authentication.authenticate(bearerToken(request), request)) ?? challenge(request, options);
  } catch (error) {
    if (error instanceof OAuthError && error.code === OAuthErrorCode.InsufficientScope) {
      const { authentication, resourceMetadataUrl } = options;
      return bearerAuthChallengeResponse(error, {
        requiredScopes: [...(authentication.scopes ?? [])],
        ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
      });
    }
    if (!(error instanceof OAuthError)) logger.log("error", "Authentication of an MCP request failed.", { error });
    return challenge(request, options, error instanceof OAuthError ? error.message : undefined);
  }
}

function bearerToken(request: Request): string | undefined {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** RFC 6750 section 3; `error` only when credentials were sent. The body says what is wrong with them. */
function challenge(request: Request, options: GuardOptions, problem?: string): Response {
  if (options.authentication.open && wasForwarded(request)) {
    return refuse(
      403,
      -32600,
      "This server asks nobody who they are, so it serves nothing that comes through a proxy. Give it a token or a sign-in. (HTTP/1.0 counts as a proxy's.)",
    );
  }
  const parameters = ['realm="toolwright"'];
  if (request.headers.has("authorization")) parameters.push('error="invalid_token"');
  const { scopes = [] } = options.authentication;
  if (scopes.length > 0) parameters.push(`scope="${scopes.join(" ")}"`);
  if (options.resourceMetadataUrl) parameters.push(`resource_metadata="${encodeURI(options.resourceMetadataUrl)}"`);
  const missing = "Authentication is required. Send a bearer token in the Authorization header.";
  const wrong = "The credentials in the Authorization header are not valid here. Send a bearer token of this server.";
  return refuse(401, -32600, problem ?? (request.headers.has("authorization") ? wrong : missing), {
    "WWW-Authenticate": `Bearer ${parameters.join(", ")}`,
  });
}

/** Refuses a door that would serve strangers: names beyond loopback without authentication (R-MC-3). */
export function checkExposure(options: GuardOptions): void {
  const loopback = new Set(localhostAllowedHostnames());
  const exposed = (options.allowedHosts ?? []).filter((host) => !loopback.has(host));
  if (options.authentication.open && exposed.length > 0) {
    throw new Error(`The MCP door would serve ${exposed.join(", ")} without authentication. Set a token, or allow loopback hosts only.`);
  }
}

interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/** The parsed body of a POST, or the answer that refuses it (R-MC-9). */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<{ readonly body: unknown } | Response> {
  const tooLarge = () => refuse(413, -32600, `The request is larger than ${limits.maxBytes} bytes.`);
  const declared = request.headers.get("content-length");
  if (Number(declared) > limits.maxBytes) return tooLarge();
  // HTTP gives no more bytes than were declared, so only a body of unknown length has to be counted as it comes.
  const bytes = declared === null ? await readBytes(request, limits.maxBytes) : new Uint8Array(await request.arrayBuffer());
  if (!bytes || bytes.length > limits.maxBytes) return tooLarge();
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse(400, -32700, "The request is not valid UTF-8.");
  }
  if (isDeeperThan(text, limits.maxDepth)) return refuse(400, -32600, `The request is nested deeper than ${limits.maxDepth} levels.`);
  return parseMessage(text);
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

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

const quote = 0x22;
const backslash = 0x5c;

/** Counts brackets outside strings, before anything recursive sees the text. */
function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === backslash) index++;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Says who asks. *Contract:* undefined refuses; an `OAuthError` is answered as RFC 6750 says, any other rejection is logged and refuses. */
export interface Authentication {
  /** True when requests without a token are served: only on loopback. */
  readonly open: boolean;
  /** Scopes that every token needs, named when one is refused. */
  readonly scopes?: readonly string[];
  /** `token` is the bearer token of the Authorization header, if there is one. */
  authenticate(token: string | undefined, request: Request): Principal | undefined | Promise<Principal | undefined>;
}

/** Everybody who can reach the door is this principal. Through a proxy nobody is: it may stand where others than this machine reach it. */
export function openAccess(principal: Principal): Authentication {
  return { open: true, authenticate: (_, request) => (wasForwarded(request) ? undefined : principal) };
}

/**
 * What reverse proxies and tunnels add: RFC 7239, RFC 9110 section 7.6.3, RFC 8586, the names that are older than them, and whatever tells an
 * address (X-Real-IP, X-Client-IP, CF-Connecting-IP, True-Client-IP).
 */
const forwardingHeader = /^(?:forwarded|via|cdn-loop|x-forwarded.*|(?:x-original|x-envoy|ngrok)-.+|.+-(?:client)?ip)$/;

function wasForwarded({ headers }: Pick<Request, "headers">): boolean {
  for (const name of headers.keys()) if (forwardingHeader.test(name)) return true;
  return false;
}

/** A token of which only the SHA-256 is known, as 64 hex digits. */
export interface HashedToken {
  readonly sha256: string;
}

/** Whoever has the token is this principal. The token is kept as a hash and compared in constant time. */
export function tokenAccess(token: string | HashedToken, principal: Principal): Authentication {
  const expected = typeof token === "string" ? hashOf(refuseShort(token)) : readHash(token);
  return {
    open: false,
    authenticate: (given) => (given !== undefined && timingSafeEqual(hashOf(given), expected) ? principal : undefined),
  };
}

function refuseShort(token: string): string {
  if (token.length >= 16) return token;
  throw new RangeError("The token is too short. Use at least 16 characters, for example from `openssl rand -hex 32`.");
}

function readHash({ sha256 }: HashedToken): Buffer {
  if (/^[0-9a-f]{64}$/.test(sha256)) return Buffer.from(sha256, "hex");
  throw new RangeError("The hash of the token is not a SHA-256 of 64 hex digits.");
}

/** Equal lengths, so that the comparison tells nothing about the token's. */
function hashOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
