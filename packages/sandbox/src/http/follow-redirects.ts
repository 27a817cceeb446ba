import { isUtf8 } from "node:buffer";
import {
  type HttpRequest,
  type HttpResponse,
  type JudgedUrl,
  judgeRedirect,
  judgeUrl,
  type RefusedUrl,
  ToolwrightError,
} from "@toolwright/engine";
import { findCredential } from "./credentials.ts";
import type { HttpEnvironment } from "./environment.ts";
import { type Answer, exchange, type Hop, type HopLimits } from "./exchange.ts";
import { checkMessage, type OutgoingMessage, redirectMessage } from "./message.ts";
import { addressHop, type HopPlan, permitHop } from "./prepare-hop.ts";

const mostRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Sends a request and follows its redirects by hand, because each hop is judged, resolved and dialled like the first. */
export async function followRedirects(request: HttpRequest, environment: HttpEnvironment, limits: HopLimits): Promise<HttpResponse> {
  const maxRedirects = Math.min(request.maxRedirects ?? mostRedirects, mostRedirects);
  const redirects: string[] = [];
  let plan: HopPlan = { judged: judgeUrl(request.url, environment.site.network), named: request.url, message: checkMessage(request) };
  for (;;) {
    const judged = permitHop(plan, environment);
    const message = redirects.length === 0 ? await addCredential(plan.message, judged, { request, environment }) : plan.message;
    const hop = await addressHop(judged, message, { ...environment, signal: limits.signal });
    const outcome = await exchange(hop, { ...limits, dial: environment.dial }, async (answer) => {
      const next = maxRedirects > 0 ? planNext(answer, hop, environment) : undefined;
      return next ?? respond(answer, hop.url, redirects);
    });
    if (!("judged" in outcome)) return outcome;
    if (redirects.length === maxRedirects) {
      throw new ToolwrightError(
        "too_many_redirects",
        `${request.url} redirected more than ${maxRedirects} times; ask for the last of them directly.`,
      );
    }
    redirects.push(outcome.named);
    plan = outcome;
  }
}

function planNext(answer: Answer, hop: Hop, { site }: HttpEnvironment): HopPlan | undefined {
  const location = redirectStatuses.has(answer.status) ? answer.headers.get("location") : undefined;
  if (location === undefined) return undefined;
  const judged: JudgedUrl | RefusedUrl = judgeRedirect(decodeLocation(location), hop.url, site.network);
  const sameOrigin = judged.ok && judged.url.origin === hop.url.origin;
  const message = redirectMessage(hop.message, answer.status, sameOrigin) ?? (judged.ok ? undefined : hop.message);
  return message && { judged, named: judged.ok ? judged.url.href : location, message };
}

/** Header values arrive as Latin-1; servers that write other letters into a location mean UTF-8 (Fetch standard, "location URL"). */
function decodeLocation(location: string): string {
  const bytes = Buffer.from(location, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : location;
}

async function respond(answer: Answer, url: URL, redirects: readonly string[]): Promise<HttpResponse> {
  const { body, truncated } = await answer.body();
  return { url: url.href, status: answer.status, headers: Object.fromEntries(answer.headers), body, truncated, redirects };
}

async function addCredential(
  message: OutgoingMessage,
  judged: JudgedUrl,
  { request, environment: { site, credentials } }: { request: HttpRequest; environment: HttpEnvironment },
): Promise<OutgoingMessage> {
  if (request.credential === undefined) return message;
  const { name, value, secret } = await findCredential(
    request.credential,
    { ...judged, tenant: site.principal.tenant, agent: site.principal.agent },
    credentials,
  );
  site.taint(secret);
  return { ...message, headers: new Map([...message.headers, [name, value]]) };
}
