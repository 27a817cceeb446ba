import type { Toolwright } from "../compose.ts";
import { version } from "../version.ts";
import { describeSandbox } from "./describe-server.ts";
import { homePage } from "./home-page.ts";
import type { FetchHandler } from "./node-listener.ts";

export const mcpPath = "/mcp";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

export interface Routes {
  readonly toolwright: Toolwright;
  /** Under which people and clients reach the server; undefined for the one that each of them used. */
  readonly origin?: string | undefined;
  readonly mcp: FetchHandler;
  /** Signing in; undefined for what is none of it. */
  readonly auth?: ((request: Request) => Promise<Response> | undefined) | undefined;
}

/** The server's URLs: a page for people, health for machines, MCP for clients. */
export function route({ toolwright, origin, mcp, auth }: Routes): FetchHandler {
  return (request) => {
    const { pathname, origin: used } = new URL(request.url);
    if (pathname === mcpPath) return mcp(request);
    const answer = auth?.(request);
    if (answer) return answer;
    if (pathname !== "/" && pathname !== "/health")
      return text(404, `There is nothing at ${pathname}. MCP is at ${mcpPath}, health at /health.\n`);
    if (request.method !== "GET" && request.method !== "HEAD") return text(405, "Only GET is served here.\n", { allow: "GET, HEAD" });
    if (pathname === "/health") return health(toolwright);
    return new Response(homePage(`${origin ?? used}${mcpPath}`, { peopleSignIn: auth !== undefined }), { headers: pageHeaders });
  };
}

/** 503 while the store takes nothing: whoever spreads calls over several servers should leave this one out. */
function health(toolwright: Toolwright): Response {
  const { trouble } = toolwright.store.registry;
  const state = trouble === undefined ? { status: "ok", store: "ok" } : { status: "unavailable", store: trouble };
  return Response.json({ ...state, version, sandbox: describeSandbox(toolwright) }, { status: trouble === undefined ? 200 : 503 });
}

function text(status: number, words: string, headers: Record<string, string> = {}): Response {
  return new Response(words, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", ...headers },
  });
}
