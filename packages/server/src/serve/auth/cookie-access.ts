import { type Authentication, OAuthError, OAuthErrorCode } from "@toolwright/doors/mcp";
import type { IdentityAdmin } from "@toolwright/engine/ports";
import type { SignIn } from "@toolwright/sign-in";

/** Where people signed in, and who asks without a cookie. */
interface CookieAccess {
  readonly signIn: Pick<SignIn, "personOf">;
  readonly identity: Pick<IdentityAdmin, "identifyMember">;
  /** Origin of the server's own pages. */
  readonly origin: string;
  readonly others: Authentication;
}

/**
 * People who signed in with a browser, and everybody else as `others` says. A browser sends a cookie whoever made the request, so it counts for pages of
 * this origin alone (R-UI-3). An Authorization header is looked at instead: one that is wrong does not fall back to the cookie.
 */
export function withCookies({ signIn, identity, origin, others }: CookieAccess): Authentication {
  return {
    ...others,
    async authenticate(token, request) {
      const { headers } = request;
      if (headers.has("authorization") || !headers.has("cookie")) return others.authenticate(token, request);
      // Of the platform, as libraries want it that look into a request.
      const person = await signIn.personOf(new Request(request.url, { headers: [...headers] }));
      if (!person) return others.authenticate(token, request);
      const fault = findFault(request, origin);
      if (fault) throw new OAuthError(OAuthErrorCode.InvalidToken, fault);
      if (person.tenant === undefined)
        throw new OAuthError(OAuthErrorCode.InvalidToken, `You act in no tenant. Choose one on ${origin}/auth/account.`);
      const identified = await identity.identifyMember({ tenant: person.tenant, user: person.user });
      if (!identified)
        throw new OAuthError(
          OAuthErrorCode.InvalidToken,
          `You do not belong to the tenant ${person.tenant} any more, or it is suspended. Choose another on ${origin}/auth/account.`,
        );
      return { ...identified, door: "rest", source: "api" };
    },
  };
}

const reads = new Set(["GET", "HEAD"]);
/** What a browser says of where a request was made: on this origin, or by the person in its address bar (Fetch Metadata). */
const ownSites = new Set(["same-origin", "none"]);

/** Why a cookie does not count for a request. */
function findFault({ method, headers }: Request, origin: string): string | undefined {
  const from = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const isRead = reads.has(method);
  if (isRead ? from !== null && from !== origin : from !== origin)
    return `The cookie of a sign-in counts for pages of ${origin} alone. Send an API key in the Authorization header instead.`;
  if (site !== null && !ownSites.has(site))
    return `The cookie of a sign-in counts for pages of ${origin} alone, and this request comes from another site.`;
  if (isRead || method === "DELETE" || /^application\/json(?:\s*;|$)/i.test(headers.get("content-type") ?? "")) return undefined;
  return "With the cookie of a sign-in, a body is JSON. Send it with Content-Type: application/json.";
}
