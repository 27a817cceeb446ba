import { createHash, timingSafeEqual } from "node:crypto";
import type { Principal } from "@toolwright/engine";

/** Whom a door serves, and under which names. */
export interface GuardOptions {
  readonly authentication: Authentication;
  /** Host names without port that requests may be addressed to. Default: loopback names. Other names need authentication. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Host names of web pages that may call. Default: loopback names. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Set: a request that may change something, and shows no Authorization, counts for no page but those of `origin`. Default of that: the address
   * that the request itself used. Programs, which send no Origin, are as before.
   */
  readonly ownPages?: { readonly origin?: string | undefined };
  /** RFC 9728 metadata document, named in 401 answers. */
  readonly resourceMetadataUrl?: string | undefined;
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

export function wasForwarded(request: Pick<Request, "headers">): boolean {
  for (const name of known.get(request) ?? request.headers.keys()) if (forwardingHeader.test(name)) return true;
  return false;
}

const known = new WeakMap<Pick<Request, "headers">, readonly string[]>();

/** Lets a listener that has the names of a request's headers give them, in lower case: to list them sorted, as a request does, costs as much as half the guard. */
export function knowHeaderNames(request: Request, names: readonly string[]): void {
  known.set(request, names);
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
