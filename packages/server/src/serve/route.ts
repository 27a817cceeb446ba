import { routes } from "@toolwright/doors/rest/routes";
import type { Engine } from "@toolwright/engine";
import type { Telemetry } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import { documentPolicy } from "@toolwright/sign-in/html";
import { Hono } from "hono";
import type { Toolwright } from "../compose.ts";
import { describeSandbox } from "../machine/describe-sandbox.ts";
import { version } from "../version.ts";
import { compressAnswer, isCompressible } from "./compress-answer.ts";
import { type ConsolePages, consolePages, readsPages } from "./console/console-pages.ts";
import { homePage, homeText } from "./home-page.ts";
import { arrivalOf, type FetchHandler } from "./http-rules.ts";
import { type ServedMetrics, serveMetrics } from "./serve-metrics.ts";

export const mcpPath = "/mcp";
export const apiPath = "/api";
export const hooksPath = "/hooks";

const otherMethods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Where the address of the client is for signing in; whatever the client sent under this name is dropped. */
export const addressHeader = "x-toolwright-address";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": documentPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** What health looks at. A store in memory has no troubles of its own, and who follows no policy knows no posture. */
export interface Served extends Partial<Pick<Toolwright, "drivers" | "sandbox">> {
  readonly engine: Pick<Engine, "checkCalls">;
  readonly store: Partial<Pick<Store, "checkReadiness">> & { readonly registry?: Pick<Store["registry"], "trouble"> };
}

export interface Routes {
  readonly toolwright: Served;
  /** Under which people and clients reach the server; undefined for the one that each of them used. */
  readonly origin?: string | undefined;
  readonly mcp: FetchHandler;
  /** What is below `/api`. */
  readonly rest: FetchHandler;
  /** Events of coding agents around their own tools; without it there is nothing below `/hooks`. */
  readonly hooks?: FetchHandler;
  /** Names of the clients that `toolwright install` knows, for the page for people; without them there is no page. */
  readonly clients?: string;
  /** Default: there is none. */
  readonly console?: ConsolePages;
  /** Without them there is nothing at /metrics. */
  readonly metrics?: ServedMetrics | undefined;
  /** Names requests for a watch of the event loop. */
  readonly within?: Telemetry["within"] | undefined;
  /** Signing in; undefined for what is none of it. */
  readonly auth?: ((request: Request) => Promise<Response> | undefined) | undefined;
}

/** The server's URLs: a page for people, health for machines, MCP for clients, REST for programs. */
export function route({ toolwright, origin, mcp, rest, hooks, clients, console, metrics, auth, within }: Routes): FetchHandler {
  const home = (request: Request): Response | undefined => {
    if (!clients) return undefined;
    const mcpUrl = `${origin ?? new URL(request.url).origin}${mcpPath}`;
    if (!readsPages(request)) return text(200, homeText(mcpUrl));
    const state = console?.state() ?? { state: "off" };
    const page = homePage({ mcpUrl, peopleSignIn: auth !== undefined, clients, console: state });
    return new Response(page, { headers: pageHeaders });
  };
  const onlyGet = () => text(405, "Only GET is served here.\n", { allow: "GET, HEAD" });
  const isReady = readinessOf(toolwright);
  const pages = console && consolePages(console);
  const scrape = metrics && serveMetrics(metrics);
  const app = new Hono()
    .all(mcpPath, ({ req }) => mcp(req.raw))
    .all(`${apiPath}/*`, async ({ req }) => (isCompressible(req.raw) ? compressAnswer(await rest(req.raw)) : rest(req.raw)))
    .all(`${hooksPath}/:agent`, ({ req }, next) => hooks?.(req.raw) ?? next())
    .use(async ({ req }, next) => (await auth?.(copyOf(req.raw))) ?? next())
    // Two names for one answer: what people ask for, and what orchestrators do.
    .get("/health", isReady)
    .get("/readyz", isReady)
    .get("/healthz", () => text(200, "ok\n"))
    .get("/metrics", ({ req }, next) => scrape?.(req.raw) ?? next())
    .get("*", async ({ req }, next) => (await pages?.(req.raw)) ?? next())
    .get("/", ({ req }, next) => home(req.raw) ?? next())
    // Whoever follows a link to a page while there is none reads why.
    .get("*", ({ req }, next) => (lacksPages(console) && readsPages(req.raw) && home(req.raw)) || next())
    .on(otherMethods, ["/health", "/readyz", "/healthz"], onlyGet)
    .on(otherMethods, "/metrics", (_, next) => (scrape ? onlyGet() : next()))
    .all("/", (_, next) => (clients ? onlyGet() : next()))
    .notFound(({ req }) =>
      text(404, `There is nothing at ${new URL(req.url).pathname}. MCP is at ${mcpPath}, REST below ${apiPath}, health at /health.\n`),
    )
    .onError((error) => {
      throw error;
    });
  return (request) =>
    within?.(
      () => ({ name: nameRoute(request) }),
      () => app.fetch(request),
    ) ?? app.fetch(request);
}

/** First parts of paths of the REST door. */
const apiParts: ReadonlySet<string | undefined> = new Set(routes.map(([, path]) => path.split("/")[1]));

/** The route of a request, with no word of the client's own. */
function nameRoute({ method, url }: Request): string | undefined {
  const [, first, second] = new URL(url).pathname.split("/");
  if (method !== "GET" && !otherMethods.includes(method)) return undefined;
  const path = `/${first}`;
  if (path === apiPath) return apiParts.has(second) ? `${method} ${apiPath}/${second}` : `${method} ${apiPath}`;
  return [mcpPath, hooksPath, "/auth", "/health", "/readyz", "/metrics"].includes(path) ? `${method} ${path}` : undefined;
}

/** Until they are built, and when they could not be. */
const lacksPages = (console: ConsolePages | undefined): boolean => ["building", "failed"].includes(console?.state().state ?? "off");

/** A copy as a request of the platform, which libraries want that copy requests, with the address that its connection shows. */
function copyOf(request: Request): Request {
  const copy = new Request(request.url, request);
  copy.headers.set(addressHeader, arrivalOf(request)?.address ?? "unknown");
  return copy;
}

/** Milliseconds for which an answer about calls counts: anybody may ask for health. */
const checkedMs = 1_000;

/** 503 while the store takes nothing, was changed by another version, or calls fail: whoever spreads calls over several servers should leave this one out. */
function readinessOf(toolwright: Served): () => Promise<Response> {
  let checked = Number.NEGATIVE_INFINITY;
  let checking: ReturnType<typeof look> | undefined;
  return async () => {
    if (checking === undefined || performance.now() - checked > checkedMs) {
      checked = performance.now();
      checking = look(toolwright);
    }
    const found = { store: toolwright.store.registry?.trouble, ...(await checking) };
    const isWell = Object.values(found).every((problem) => problem === undefined);
    const state = Object.fromEntries(Object.entries(found).map(([part, problem]) => [part, problem ?? "ok"]));
    const { drivers, sandbox } = toolwright;
    const posture = drivers && sandbox && { sandbox: describeSandbox({ drivers, sandbox }) };
    return Response.json({ status: isWell ? "ok" : "unavailable", ...state, version, ...posture }, { status: isWell ? 200 : 503 });
  };
}

/** What is wrong with each part; a store that answers nothing is asked nothing more. */
async function look({ engine, store }: Served) {
  const asked = store.registry?.trouble === undefined ? store.checkReadiness?.() : undefined;
  const calls = await engine.checkCalls();
  return { calls: calls.ok ? undefined : calls.problem, ...(await asked) };
}

function text(status: number, words: string, headers: Record<string, string> = {}): Response {
  return new Response(words, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", ...headers },
  });
}
