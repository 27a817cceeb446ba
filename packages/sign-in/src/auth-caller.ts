import { ToolwrightError } from "@toolwright/engine";
import { authPath, type SignInOptions } from "./auth-options.ts";
import { oidcProvider } from "./oidc-config.ts";

/** What came of a step of signing in. */
export interface AuthAnswer {
  readonly status: number;
  /** The program's question, which came along, was changed or is older than ten minutes. */
  readonly questionClosed: boolean;
  /** Seconds to wait, of who tried too often. */
  readonly retryAfter: number | undefined;
  /** Where the person goes next. */
  readonly location: string | undefined;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
}

/** The library has many more endpoints; what is not named here is not there. */
const served: readonly (readonly [method: string, path: string])[] = [
  ["GET", `/.well-known/oauth-authorization-server${authPath}`],
  ["GET", `${authPath}/.well-known/oauth-authorization-server`],
  ["GET", `${authPath}/oauth2/authorize`],
  ["POST", `${authPath}/oauth2/token`],
  ["POST", `${authPath}/oauth2/register`],
  ["POST", `${authPath}/oauth2/revoke`],
  ["GET", `${authPath}/callback/${oidcProvider}`],
];

export function isServedPath({ method, url }: Pick<Request, "method" | "url">): boolean {
  const { pathname } = new URL(url);
  return served.some(([wanted, path]) => wanted === method && path === pathname);
}

export function isRegistration({ method, url }: Pick<Request, "method" | "url">): boolean {
  return method === "POST" && new URL(url).pathname === `${authPath}/oauth2/register`;
}

/** A GET of these is a person's browser on its way: the library redirects it, where it would answer a script with JSON. */
export function asNavigation(request: Request): Request {
  if (request.method !== "GET") return request;
  const headers = new Headers(request.headers);
  headers.set("sec-fetch-mode", "navigate");
  return new Request(request.url, { headers });
}

/**
 * Posts to an endpoint of the library in the name of the browser that sent `request`. Rejects when something broke: no page may take that for a
 * refusal, or go on as if it were done.
 */
export function createAuthCaller(handler: (request: Request) => Promise<Response>, { origin, addressHeader }: SignInOptions) {
  return async (request: Request, path: string, body: object): Promise<AuthAnswer> => {
    const headers = new Headers({ "content-type": "application/json", accept: "application/json", origin });
    for (const name of ["cookie", "user-agent", addressHeader]) {
      const value = request.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    const response = await handler(new Request(`${origin}${authPath}${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
    if (response.status >= 500)
      throw new ToolwrightError(
        "store_failed",
        `The sign-in library broke at ${path}. The log before this says more; it can be tried again.`,
      );
    const answer = (await response.json().catch(() => undefined)) as { url?: unknown; error?: unknown } | undefined;
    const location = response.headers.get("location") ?? (typeof answer?.url === "string" ? answer.url : undefined);
    const questionClosed = answer?.error === "invalid_signature";
    const retryAfter = Number(response.headers.get(libraryRetryAfter)) || undefined;
    return { status: response.status, questionClosed, retryAfter, location, cookies: response.headers.getSetCookie() };
  };
}

/** The library's own name for Retry-After (RFC 9110 section 10.2.3). */
const libraryRetryAfter = "x-retry-after";

/** The answer with the name for it that programs know. */
export function withRetryAfter(response: Response): Response {
  const seconds = response.headers.get(libraryRetryAfter);
  if (seconds !== null) response.headers.set("retry-after", seconds);
  return response;
}
