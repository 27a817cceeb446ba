import { createHash, timingSafeEqual } from "node:crypto";
import type { Principal } from "@toolwright/engine";

/** Says who asks. *Contract:* undefined refuses; an `OAuthError` is answered as RFC 6750 says, any other rejection is logged and refuses. */
export interface Authentication {
  /** True when requests without a token are served: only on loopback. */
  readonly open: boolean;
  /** Scopes that every token needs, named when one is refused. */
  readonly scopes?: readonly string[];
  /** `token` is the bearer token of the Authorization header, if there is one. */
  authenticate(token: string | undefined, request: Request): Principal | undefined | Promise<Principal | undefined>;
}

/** Everybody who can reach the door is this principal. */
export function openAccess(principal: Principal): Authentication {
  return { open: true, authenticate: () => principal };
}

/** Whoever has the token is this principal. The token is kept as a hash and compared in constant time. */
export function tokenAccess(token: string, principal: Principal): Authentication {
  if (token.length < 16)
    throw new RangeError("The token is too short. Use at least 16 characters, for example from `openssl rand -hex 32`.");
  const expected = hashOf(token);
  return {
    open: false,
    authenticate: (given) => (given !== undefined && timingSafeEqual(hashOf(given), expected) ? principal : undefined),
  };
}

/** Equal lengths, so that the comparison tells nothing about the token's. */
function hashOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
