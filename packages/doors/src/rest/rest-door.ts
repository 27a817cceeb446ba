import type { Principal } from "@toolwright/engine";
import { silentLogger, systemClock } from "@toolwright/engine/ports";
import { Hono } from "hono";
import { DetachedCalls } from "../detached-calls.ts";
import { checkExposure, createGuard, type Refusal } from "../http/guard-request.ts";
import { isBusy, requestTurns } from "../http/request-turns.ts";
import { serveCall, serveCancel, serveResume } from "./call/serve-call.ts";
import { defaultLimits, type RestDoorOptions, type RestParts } from "./door-options.ts";
import { problem, problemOf } from "./problem.ts";
import type { ProblemCode } from "./problem-codes.ts";
import type { PageName } from "./reference/serve-reference.ts";
import { serveArtifact } from "./serve-artifact.ts";
import { type RestRequest, serveOperation } from "./serve-operation.ts";
import { StreamSlots } from "./stream-slots.ts";
import { turnRoutes } from "./turns/turn-routes.ts";
import { serveWebhooks } from "./webhooks/serve-webhook.ts";

/** The engine over HTTP, for programs. */
export interface RestDoor {
  /** Answers every method on paths below the door's. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Cancels calls that run on without their callers, and waits for their ending. */
  close(): Promise<void>;
}

type Handler = (asked: RestRequest) => Promise<Response>;
type ServedBindings = { readonly Bindings: { readonly principal: Principal } };

/** Opens the engine to programs over REST. Throws when it would serve names beyond loopback without authentication. */
export function createRestDoor(options: RestDoorOptions): RestDoor {
  checkExposure(options);
  const { engine, path: base = "/api", clock = systemClock, logger = silentLogger, operator = asPerson, caller = callerOf } = options;
  const { maxBodyBytes: maxBytes, maxAttachmentBytes, maxJsonDepth: maxDepth } = options;
  const limits = { ...defaultLimits, ...withoutUndefined({ maxBytes, maxAttachmentBytes, maxDepth }) };
  const detached = new DetachedCalls(options.maxDetached ?? 1000);
  const streams = new StreamSlots(options.maxStreams ?? 4000);
  const { name = "toolwright", version = "0" } = options.serverInfo ?? {};
  const { turns, webhooks } = options;
  const server = { name, version, base, open: options.authentication.open, turnTool: turns?.tool, takesWebhooks: webhooks !== undefined };
  const guard = createGuard(options, logger);
  const parts: RestParts = { engine, base, server, operator, callerOf: caller, limits, streams, guard, clock, logger };
  const calls = { ...parts, detached };
  const app = routeAll(
    [
      ...engine.subjects.operations.map((entry) => [entry.route.method, entry.route.path, serveOperation(entry, parts)] as const),
      ["POST", "/tools/{name}/call", serveCall(calls)],
      ["POST", "/approvals/{id}/run", serveResume(calls)],
      ["POST", "/runs/{id}/cancel", serveCancel(calls)],
      ["GET", "/artifacts/{id}/content", serveArtifact(parts)],
      ...(turns === undefined ? [] : turnRoutes(turns, calls)),
      ...describingRoutes(parts),
    ],
    base,
  );
  // They show by their signatures whose they are.
  const webhook = webhooks && serveWebhooks(webhooks, parts);
  return {
    async fetch(request) {
      try {
        const received = webhook?.(request);
        if (received) return await received;
        const principal = await guard(request);
        if ("refused" in principal) return writeRefusal(principal);
        return await requestTurns.answer(principal, request, async () => app.fetch(request, { principal }));
      } catch (error) {
        if (isBusy(error)) return problemOf(error);
        const isGone = request.signal.aborted;
        logger.log(isGone ? "debug" : "error", isGone ? "A client left before its request was answered." : "A request failed.", { error });
        return problem({ code: "internal", message: "The request failed by a defect. The log of the server says more." });
      }
    },
    close() {
      streams.close();
      return detached.close();
    },
  };
}

/**
 * The surface that a request came through. A browser says of a page's request that it is of the same site, and no page can say so in its place
 * (Fetch Metadata): then a person filled a form of this server. It names the door in the log and widens nothing.
 */
function callerOf(principal: Principal, { headers }: Request): Principal {
  const isOwnPage = headers.get("sec-fetch-site") === "same-origin";
  return isOwnPage ? { ...principal, door: "form", source: "web" } : { ...principal, door: "rest", source: "api" };
}

/** A person may be there wherever authentication does not say otherwise. */
function asPerson(principal: Principal): Principal {
  return { ...principal, interactive: principal.actor.kind === "user" && principal.interactive !== false };
}

function withoutUndefined<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}

/** Routes that describe the door itself. What they are made with is loaded when somebody asks for one: a server starts without it. */
function describingRoutes(parts: RestParts): readonly (readonly [method: "GET", path: string, handler: Handler])[] {
  const page =
    (name: PageName): Handler =>
    async (asked) => {
      const { serveReference } = await import("./reference/serve-reference.ts");
      return serveReference(name, asked, parts);
    };
  const document: Handler = async (asked) => {
    const { serveDocument } = await import("./openapi/serve-document.ts");
    return serveDocument(asked, parts);
  };
  return [
    ["GET", "/openapi.json", document],
    ["GET", "/reference", page("index")],
    ["GET", "/reference/operations/{tag}", page("operations")],
    ["GET", "/reference/tools/{name}", page("tool")],
    ["GET", "/reference/problems", page("problems")],
  ];
}

function routeAll(routes: readonly (readonly [method: string, path: string, handler: Handler])[], base: string): Hono<ServedBindings> {
  const app = new Hono<ServedBindings>();
  for (const [method, path, handler] of routes.toSorted(
    ([, one], [, other]) => Number(rankOf(one) > rankOf(other)) - Number(rankOf(one) < rankOf(other)),
  ))
    app.on(method, toPattern(base, path), ({ req, env }) =>
      handler({ request: req.raw, principal: env.principal, params: req.param() as Readonly<Record<string, string>> }),
    );
  const methods = [...new Set(routes.map(([method]) => method))];
  app.notFound(({ req }) => {
    const allowed = methods.filter((method) => app.router.match(method, req.path)[0].length > 0);
    if (allowed.length === 0) return problem({ code: "route_not_found", message: `There is nothing at ${req.path}.` });
    const allow = [...allowed, ...(allowed.includes("GET") ? ["HEAD"] : [])].join(", ");
    const message = `${req.path} takes ${allow}, and not ${req.method}.`;
    return problem({ code: "method_not_allowed", message, headers: { allow } });
  });
  app.onError((error) => {
    throw error;
  });
  return app;
}

/** Words of a path go before members in their place: `/documents/search` is no document. */
const rankOf = (path: string) => path.replace(/\{\w+\}/g, "\uffff");

const toPattern = (base: string, path: string) => `${base}${path.replace(/\{(\w+)\}/g, ":$1")}`;

const refusalCodes: Readonly<Record<Refusal["refused"], ProblemCode>> = {
  misdirected: "request_refused",
  token_in_url: "token_in_url",
  unauthenticated: "unauthenticated",
  proxied: "request_proxied",
  scope_missing: "scope_missing",
};

function writeRefusal({ refused, message, headers }: Refusal): Response {
  return problem({ code: refusalCodes[refused], message, headers });
}
