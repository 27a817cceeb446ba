import { type OidcTokens, readOidcProfile } from "./oidc-profile.ts";

/** Another server that says who people are (OpenID Connect). */
export interface OidcServer {
  /** Its issuer URL; the configuration is read from below it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** On the button. */
  readonly name: string;
}

export const oidcProvider = "oidc";

/** Its server is asked for its configuration at start. */
export function oidcConfig({ issuer, clientId, clientSecret, name }: OidcServer) {
  const discoveryUrl = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  return {
    providerId: oidcProvider,
    name,
    discoveryUrl,
    getUserInfo: (tokens: OidcTokens) => readOidcProfile(discoveryUrl, tokens),
    requireIdTokenVerification: true,
    clientId,
    clientSecret,
    scopes: ["openid", "profile", "email"],
    pkce: true,
  };
}
