import { authPath } from "./auth-options.ts";

/** No client of this server registers with keys of its own: the library offers to take them and then refuses. */
const refused: ReadonlySet<unknown> = new Set(["private_key_jwt"]);

/** The description of the authorization server (RFC 8414), without ways to authenticate that it refuses. */
export async function shapeMetadata(request: Request, response: Response): Promise<Response> {
  const { pathname } = new URL(request.url);
  const isMetadata =
    pathname === `/.well-known/oauth-authorization-server${authPath}` || pathname === `${authPath}/.well-known/oauth-authorization-server`;
  if (!isMetadata || !response.ok) return response;
  const said = (await response.json()) as Record<string, unknown>;
  const kept = Object.entries(said).flatMap(([name, value]): [string, unknown][] => {
    if (name.endsWith("_auth_signing_alg_values_supported")) return [];
    const isMethods = name.endsWith("_auth_methods_supported") && Array.isArray(value);
    return [[name, isMethods ? value.filter((each) => !refused.has(each)) : value]];
  });
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return new Response(JSON.stringify(Object.fromEntries(kept)), { status: response.status, headers });
}
