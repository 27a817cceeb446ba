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
import type { McpDoorOptions } from "../door-options.ts";
import { wasForwarded } from "./authentication.ts";
import { refuse } from "./refusal.ts";

const tokenParameters = ["access_token", "token"];

/** Says who asks, or the answer that refuses. */
export type Guard = (request: Request) => Promise<Principal | Response>;

/** Every method passes here, streams too (R-MC-4). */
export function createGuard(options: McpDoorOptions, logger: Logger): Guard {
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

async function authenticate(request: Request, options: McpDoorOptions, logger: Logger): Promise<Principal | Response> {
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
function challenge(request: Request, options: McpDoorOptions, problem?: string): Response {
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
export function checkExposure(options: McpDoorOptions): void {
  const loopback = new Set(localhostAllowedHostnames());
  const exposed = (options.allowedHosts ?? []).filter((host) => !loopback.has(host));
  if (options.authentication.open && exposed.length > 0) {
    throw new Error(`The MCP door would serve ${exposed.join(", ")} without authentication. Set a token, or allow loopback hosts only.`);
  }
}
