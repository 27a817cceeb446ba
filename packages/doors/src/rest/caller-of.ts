import type { Principal } from "@toolwright/engine";

/**
 * The surface that a request came through. A browser says of a page's request that it is of the same site, and no page can say so in its place
 * (Fetch Metadata): then a person filled a form of this server. It names the door in the log and widens nothing.
 */
export function callerOf(principal: Principal, { headers }: Request): Principal {
  const isOwnPage = headers.get("sec-fetch-site") === "same-origin";
  return isOwnPage ? { ...principal, door: "form", source: "web" } : { ...principal, door: "rest", source: "api" };
}
