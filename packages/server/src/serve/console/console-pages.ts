import { findWrongHost } from "@toolwright/doors/http";
import { type ConsoleState, type PageFacts, serveConsole, serveLive } from "./serve-console.ts";

export interface ConsolePages {
  /** Asked at each request: it may be built meanwhile. */
  readonly state: () => ConsoleState;
  /** Names that pages are asked under. */
  readonly hosts: readonly string[];
  readonly facts: PageFacts;
}

/** The console's answers, where it is ready; undefined for what is none of it, and for who reads no pages. */
export function consolePages({ state, hosts, facts }: ConsolePages): (request: Request) => Promise<Response | undefined> {
  return async (request) => {
    const now = state();
    const { pathname } = new URL(request.url);
    const isFile = pathname.startsWith("/assets/") || pathname === "/console.json";
    if ((now.state !== "ready" && now.state !== "live") || !(isFile || readsPages(request))) return undefined;
    const wrong = findWrongHost(request, hosts);
    if (wrong) return new Response(`${wrong}\n`, { status: 403, headers: { "content-type": "text/plain; charset=utf-8" } });
    return now.state === "live" ? serveLive(request, now.page, facts) : serveConsole(request, now.files, facts);
  };
}

/** A browser says so; what reads text gets text. */
export function readsPages({ headers }: Pick<Request, "headers">): boolean {
  return /\btext\/html\b/.test(headers.get("accept") ?? "");
}
