import { authPath } from "./auth-options.ts";
import { chosenTenant, noTenant } from "./chosen-tenant.ts";

type Handler = (request: Request) => Promise<Response>;

/**
 * Any program of a person's machine can wait where another one was let in: on any of its ports, or under its scheme. So nobody is let in there
 * without being asked, whatever was allowed before (RFC 8252 section 8.6).
 */
export function askAgain(handler: Handler, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const redirect = URL.parse(url.searchParams.get("redirect_uri") ?? "");
  if (url.pathname !== `${authPath}/oauth2/authorize` || !redirect || redirect.protocol === "https:") return handler(request);
  const prompts = new Set((url.searchParams.get("prompt") ?? "").split(" ").filter(Boolean));
  // Where nobody may be asked, the library finds no consent and says so.
  if (prompts.has("none")) return chosenTenant.run(noTenant, () => handler(request));
  url.searchParams.set("prompt", [...prompts.add("consent")].join(" "));
  return handler(new Request(url, request));
}
