import { hashToken, isTokenOf } from "@toolwright/engine/ports";
import type { CallMetrics } from "../telemetry/measure-calls.ts";
import { loopback } from "./auth/auth-settings.ts";
import { arrivalOf } from "./http-rules.ts";

export interface ServedMetrics {
  readonly metrics: CallMetrics;
  /** Bearer token of whoever scrapes. Without one, only this machine may. */
  readonly token?: string | undefined;
}

/** What a proxy adds: a request that bears one comes from elsewhere, though its connection begins here. */
const forwarding = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** Metrics in the text format of Prometheus, for whoever holds the token, or without one for programs of this machine. */
export function serveMetrics({ metrics, token }: ServedMetrics): (request: Request) => Promise<Response> {
  return async (request) => {
    if (!(token === undefined ? isLocal(request) : bears(request, token))) return refuse(token !== undefined);
    return new Response(await metrics.render(), { headers: { "content-type": metrics.contentType, "cache-control": "no-store" } });
  };
}

function isLocal(request: Request): boolean {
  const { connection, address } = arrivalOf(request) ?? {};
  const isHere = (from: string | undefined) => from !== undefined && loopback.has(from.replace(/^::ffff:/, ""));
  return isHere(connection?.remote.address) && isHere(address) && !forwarding.some((name) => request.headers.has(name));
}

function bears({ headers }: Request, token: string): boolean {
  const given = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return isTokenOf(given, hashToken(token));
}

function refuse(hasToken: boolean): Response {
  const words = hasToken
    ? "Metrics need the bearer token of TOOLWRIGHT_METRICS_TOKEN.\n"
    : "Metrics are for programs of this machine. Set TOOLWRIGHT_METRICS_TOKEN to let others read them.\n";
  return new Response(words, { status: hasToken ? 401 : 403, headers: { "content-type": "text/plain; charset=utf-8" } });
}
