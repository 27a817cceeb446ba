import { authPath } from "./auth-options.ts";
import { toolScope } from "./scopes.ts";

/** A program that names no scope gets this one. The library would give it all that there are, and with them the answers to approvals (R-AP-11). */
const defaultScope = toolScope;

export function withScope(request: Request): Request {
  const url = new URL(request.url);
  if (url.pathname !== `${authPath}/oauth2/authorize` || (url.searchParams.get("scope") ?? "").trim() !== "") return request;
  url.searchParams.set("scope", defaultScope);
  return new Request(url, request);
}
