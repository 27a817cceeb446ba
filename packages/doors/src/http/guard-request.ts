import {
  localhostAllowedHostnames,
  OAuthError,
  OAuthErrorCode,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import type { Logger, Principal } from "@toolwright/engine";
import { type GuardOptions, wasForwarded } from "./authentication.ts";

/** Why a request is served to nobody, in words that each door writes in its own form. */
export interface Refusal {
  readonly refused: "misdirected" | "token_in_url" | "unauthenticated" | "proxied" | "scope_missing";
  readonly status: 400 | 401 | 403;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The OAuth error for a token that lacks a scope. */
  readonly error?: OAuthError;
}

const tokenParameters = ["access_token", "token"];

/** Says who asks, or why nobody is answered. */
type Guard = (request: Request) => Promise<Principal | Refusal>;

/** Every method of every door passes here, streams too (R-MC-4). */
export function createGuard(options: GuardOptions, logger: Logger): Guard {
  const hosts = [...(options.allowedHosts ?? localhostAllowedHostnames())];
  const origins = [...(options.allowedOrigins ?? localhostAllowedHostnames())];
  return async (request) => {
    const misdirected = findWrongHost(request, hosts);
    if (misdirected) return { refused: "misdirected", status: 403, message: misdirected };
    const origin = validateOriginHeader(request.headers.get("origin"), origins);
    if (!origin.ok) return { refused: "misdirected", status: 403, message: origin.message };
    const page = options.ownPages && findOtherPage(request, options.ownPages);
    if (page) return { refused: "misdirected", status: 403, message: page };
    if (hasTokenInUrl(request.url)) {
      const message = "A token may not be part of the URL, where logs keep it. Send it in the Authorization header.";
      return { refused: "token_in_url", status: 400, message };
    }
    return authenticate(request, options, logger);
  };
}

/** Why the name that a request is addressed to is none of these: it may lead here by the DNS of somebody else (R-MC-2). */
export function findWrongHost({ headers }: Request, hosts: readonly string[]): string | undefined {
  const host = validateHostHeader(headers.get("host"), [...hosts]);
  return host.ok ? undefined : host.message;
}

const reads = new Set(["GET", "HEAD"]);

/**
 * Why a request that may change something counts for no page: a browser says where it was made. Another port of this machine is another page,
 * though its host name is the same (R-UI-3).
 */
function findOtherPage({ method, headers, url }: Request, { origin = new URL(url).origin }: { readonly origin?: string | undefined }) {
  if (reads.has(method) || headers.has("authorization")) return undefined;
  const from = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if ((from === null || from === origin) && (site === null || site === "same-origin" || site === "none")) return undefined;
  return `Pages of ${from ?? "another site"} may change nothing here: only those of ${origin} may. Programs send no Origin header.`;
}

function hasTokenInUrl(url: string): boolean {
  if (!url.includes("?")) return false;
  const { searchParams } = new URL(url);
  return tokenParameters.some((name) => searchParams.has(name));
}

async function authenticate(request: Request, options: GuardOptions, logger: Logger): Promise<Principal | Refusal> {
  try {
    return (await options.authentication.authenticate(bearerToken(request), request)) ?? challenge(request, options);
  } catch (error) {
    if (error instanceof OAuthError && error.code === OAuthErrorCode.InsufficientScope)
      return { refused: "scope_missing", status: 403, message: error.message, headers: scopeChallenge(error, options), error };
    if (!(error instanceof OAuthError)) logger.log("error", "Authentication of a request failed.", { error });
    return challenge(request, options, error instanceof OAuthError ? error.message : undefined);
  }
}

function bearerToken(request: Request): string | undefined {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** RFC 6750 section 3; `error` only when credentials were sent. The message says what is wrong with them. */
function challenge(request: Request, options: GuardOptions, problem?: string): Refusal {
  if (options.authentication.open && wasForwarded(request)) {
    const message =
      "This server asks nobody who they are, so it serves nothing that comes through a proxy. Give it a token or a sign-in. (HTTP/1.0 counts as a proxy's.)";
    return { refused: "proxied", status: 403, message };
  }
  const parameters = request.headers.has("authorization") ? ['error="invalid_token"'] : [];
  const missing = "Authentication is required. Send a bearer token in the Authorization header.";
  const wrong = "The credentials in the Authorization header are not valid here. Send a bearer token of this server.";
  const message = problem ?? (request.headers.has("authorization") ? wrong : missing);
  return { refused: "unauthenticated", status: 401, message, headers: bearerChallenge(parameters, options) };
}

function scopeChallenge({ message }: OAuthError, options: GuardOptions): Readonly<Record<string, string>> {
  const words = message.replace(/[^\x20-\x7e]|["\\]/g, "'");
  return bearerChallenge(['error="insufficient_scope"', `error_description="${words}"`], options);
}

function bearerChallenge(parameters: readonly string[], { authentication, resourceMetadataUrl }: GuardOptions) {
  const { scopes = [] } = authentication;
  const all = ['realm="toolwright"', ...parameters];
  if (scopes.length > 0) all.push(`scope="${scopes.join(" ")}"`);
  if (resourceMetadataUrl) all.push(`resource_metadata="${encodeURI(resourceMetadataUrl)}"`);
  return { "WWW-Authenticate": `Bearer ${all.join(", ")}` };
}

/** Refuses a door that would serve strangers: names beyond loopback without authentication (R-MC-3). */
export function checkExposure(options: GuardOptions): void {
  const loopback = new Set(localhostAllowedHostnames());
  const exposed = (options.allowedHosts ?? []).filter((host) => !loopback.has(host));
  if (options.authentication.open && exposed.length > 0) {
    throw new Error(`The door would serve ${exposed.join(", ")} without authentication. Set a token, or allow loopback hosts only.`);
  }
}
