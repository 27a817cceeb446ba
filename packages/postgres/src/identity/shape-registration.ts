import type { Database } from "../database/database.ts";

/**
 * Schemes of programs that are widespread, redirect to an address with a host under their own scheme, and are refused by the library for it:
 * https://github.com/better-auth/better-auth/issues/10946. MCP asks for https or this machine (2026-07-28, Authorization), so each is named.
 */
const knownSchemes: ReadonlySet<string> = new Set(["cursor:"]);

/** What stands for such an address while the library looks at it. Nobody can own the name (RFC 6761). */
const standIn = "https://redirect.invalid/";

export interface ShapedRegistration {
  /** For the library. */
  readonly body: unknown;
  /** Where the client waits for answers, when the library was shown something else. */
  readonly redirectUris?: readonly string[];
}

/**
 * What a program says of itself when it registers (RFC 7591), as it meant it. Programs of people's own machines wait for the answer there, and many
 * do not say that they are `native`, or say `web`: the library takes both for a mistake (OpenID Connect Registration 1.0, section 2). Scopes that
 * are not known here are no reason to refuse, as a server may replace what was asked for (RFC 7591, section 2).
 */
export function shapeRegistration(given: unknown): ShapedRegistration {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return { body: given };
  const { scope: _, ...body } = given as Record<string, unknown>;
  const uris = body.redirect_uris;
  if (!isTexts(uris)) return { body };
  const isEncrypted = uris.map((uri) => URL.parse(uri)?.protocol === "https:");
  const isNative = body.application_type === undefined ? !isEncrypted.every(Boolean) : !isEncrypted.some(Boolean);
  const typed = isNative && uris.length > 0 ? { ...body, application_type: "native" } : body;
  const isKnown = (uri: string) => knownSchemes.has(URL.parse(uri)?.protocol ?? "") && !/[#@]/.test(uri);
  if (!uris.some(isKnown)) return { body: typed };
  const shown = uris.map((uri, index) => (isKnown(uri) ? `${standIn}${index}` : uri));
  return { body: { ...typed, redirect_uris: shown }, redirectUris: uris };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** Registers a program through the library, as it meant it. */
export async function registerShaped(
  database: Database,
  handler: (request: Request) => Promise<Response>,
  request: Request,
): Promise<Response> {
  const text = await request.text();
  const { body, redirectUris } = shapeRegistration(parse(text));
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  const shaped = body === undefined ? text : JSON.stringify(body);
  const answer = await handler(new Request(request.url, { method: "POST", headers, body: shaped }));
  if (!redirectUris || !answer.ok) return answer;
  const registered = (await answer.json()) as { readonly client_id: string };
  // Until here the client has an address where nobody is, and nobody has its id.
  await database.asSystem((query) =>
    query
      .updateTable("toolwright.oauth_clients")
      .set({ redirect_uris: JSON.stringify(redirectUris) })
      .where("client_id", "=", registered.client_id)
      .execute(),
  );
  return Response.json({ ...registered, redirect_uris: redirectUris }, { status: answer.status, headers: answer.headers });
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
