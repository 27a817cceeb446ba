import { type AuthInfo, type OAuthTokenVerifier, verifyBearerToken } from "@modelcontextprotocol/server";
import type { Principal } from "@toolwright/engine";
import type { Authentication } from "../../http/authentication.ts";

export interface OAuthAccessOptions {
  /** Checks signature and issuer, and says whom and what the token is for. Rejects with an `OAuthError`. */
  readonly verifier: OAuthTokenVerifier;
  /** This server, as the authorization server knows it: a token for another one is refused (RFC 8707). */
  readonly resource: URL;
  readonly scopes?: readonly string[];
  /** Undefined refuses. */
  readonly principalOf: (token: AuthInfo) => Principal | undefined | Promise<Principal | undefined>;
}

/** Access tokens of an OAuth authorization server: audience, expiry and scopes are checked here. */
export function oauthAccess({ verifier, resource, scopes = [], principalOf }: OAuthAccessOptions): Authentication {
  return {
    open: false,
    scopes,
    async authenticate(token) {
      if (token === undefined) return undefined;
      const verified = await verifyBearerToken(`Bearer ${token}`, { verifier, expectedResource: resource, requiredScopes: [...scopes] });
      return principalOf(verified);
    },
  };
}
