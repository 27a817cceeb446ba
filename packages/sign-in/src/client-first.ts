import { getOAuthProviderApi } from "@better-auth/oauth-provider";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { isClientAddress } from "./check-client-document.ts";

type Handler = (request: Request) => Promise<Response>;

const endpoints: ReadonlySet<string> = new Set(["/oauth2/token", "/oauth2/revoke"]);
const formType = "application/x-www-form-urlencoded";
const whatToDo = "Register again, and ask the person again.";

/**
 * Asked before the library, which looks at the grant first: a client that is unknown would hear that its grant is, and ask a person for another one with
 * an id that nobody knows (RFC 6749 section 5.2).
 */
export const checkClient = (errorPage: string) =>
  createAuthMiddleware(async (ctx) => {
    const provider = ctx.context.getPlugin("oauth-provider");
    if (!provider) return;
    const api = getOAuthProviderApi(ctx as never, provider.options as never);
    if (ctx.path === "/oauth2/authorize") {
      const { client_id: id } = (ctx.query ?? {}) as { client_id?: unknown };
      // One that is an address describes itself, and the library reads it once.
      const isRegistered = typeof id === "string" && id !== "" && !isClientAddress(id);
      if (isRegistered && !(await api.getClient(id))) throw ctx.redirect(`${errorPage}?error=invalid_client`);
    }
    if (!endpoints.has(ctx.path) || hasOtherProof(ctx.body)) return;
    try {
      await api.authenticateClient({ requireCredentials: false });
    } catch (error) {
      throw isAboutClient(error) ? unknownClient(error.body.error_description, ctx.headers) : error;
    }
  });

/** Signed by the client's own key, for one use: the library looks at it first, and once. */
function hasOtherProof(body: unknown): boolean {
  const { client_assertion: assertion, client_assertion_type: type } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return assertion !== undefined || type !== undefined;
}

/** By its words: the library throws errors of more than one class. */
function isAboutClient(error: unknown): error is { readonly body: { readonly error_description?: unknown } } {
  return (error as { readonly body?: { readonly error?: unknown } }).body?.error === "invalid_client";
}

function unknownClient(why: unknown, headers: Headers | undefined): APIError {
  const usedHeader = headers?.get("authorization") != null;
  return new APIError(
    "UNAUTHORIZED",
    { error: "invalid_client", error_description: `The client is unknown here or its secret is wrong (${String(why)}). ${whatToDo}` },
    { "cache-control": "no-store", ...(usedHeader && { "www-authenticate": 'Basic realm="Toolwright"' }) },
  );
}

/** The handler, with an error of OAuth for a message to these endpoints that is no form, or says one thing twice (RFC 6749 sections 3.2 and 5.2). */
export function takeForms(handler: Handler): Handler {
  return async (request) => {
    const [path = ""] = /\/oauth2\/\w+$/.exec(new URL(request.url).pathname) ?? [];
    if (request.method !== "POST" || !endpoints.has(path)) return handler(request);
    const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
    if (type !== formType) return refuse(`Send the parameters as ${formType}. This message is ${JSON.stringify(type || "of no type")}.`);
    const body = await request.text();
    const names = [...new URLSearchParams(body).keys()];
    const twice = names.find((name, index) => name !== "resource" && names.indexOf(name) !== index);
    if (twice !== undefined) return refuse(`The parameter ${JSON.stringify(twice.slice(0, 64))} is there more than once.`);
    return handler(new Request(request.url, { method: "POST", headers: request.headers, body }));
  };
}

function refuse(words: string): Response {
  return Response.json(
    { error: "invalid_request", error_description: words },
    { status: 400, headers: { "cache-control": "no-store", pragma: "no-cache" } },
  );
}
