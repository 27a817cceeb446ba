import { longestClientName } from "./client-name.ts";
import { isStorable } from "./storable-text.ts";
import type { SignInHandle } from "./tables.ts";

/**
 * Schemes of programs that are widespread, redirect to an address with a host under their own scheme, and are refused by the library for it:
 * https://github.com/better-auth/better-auth/issues/10946. MCP asks for https or this machine (2026-07-28, Authorization), so each is named.
 */
const knownSchemes: ReadonlySet<string> = new Set(["cursor:"]);

/** Characters of any other text, and of lists: far above what programs say of themselves, and what a stranger may have us keep. */
const longestText = 2_000;
const mostEntries = 20;

/** What stands for such an address while the library looks at it. Nobody can own the name (RFC 6761). */
const standIn = "https://redirect.invalid/";

interface ShapedRegistration {
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
function shapeRegistration(given: unknown): ShapedRegistration {
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
  handle: SignInHandle,
  handler: (request: Request) => Promise<Response>,
  request: Request,
): Promise<Response> {
  const given = parse(await request.text());
  const problem = problemOf(given);
  if (problem !== undefined) return Response.json({ error: "invalid_client_metadata", error_description: problem }, { status: 400 });
  const { body, redirectUris } = shapeRegistration(given);
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  const answer = await handler(new Request(request.url, { method: "POST", headers, body: JSON.stringify(body) }));
  if (!redirectUris || !answer.ok) return answer;
  const registered = (await answer.json()) as { readonly client_id: string };
  // Until here the client has an address where nobody is, and nobody has its id.
  await handle
    .updateTable("toolwright.oauth_clients")
    .set({ redirect_uris: JSON.stringify(redirectUris) })
    .where("client_id", "=", registered.client_id)
    .execute();
  return Response.json({ ...registered, redirect_uris: redirectUris }, { status: answer.status, headers: answer.headers });
}

/** Undefined for what is no JSON, or nested so deep that it cannot be written again. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    JSON.stringify(value);
    return value;
  } catch {
    return undefined;
  }
}

/** Why what a program says of itself is not kept, in words (RFC 7591 section 3.2.2). */
function problemOf(given: unknown): string | undefined {
  if (given === undefined) return "The message is no JSON that can be read.";
  for (const [field, value] of Object.entries(given ?? {})) {
    const most = field === "client_name" ? longestClientName : longestText;
    const texts = (Array.isArray(value) ? value : [value]).map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
    if (texts.length > mostEntries) return `${field} has more than ${mostEntries} entries.`;
    if (texts.some((text) => text.length > most)) return `${field} is longer than ${most} characters.`;
    if (!texts.every(isStorable)) return `${field} holds NUL or half of a character, which cannot be kept.`;
  }
  return undefined;
}
