import { isUtf8 } from "node:buffer";
import { type JudgedUrl, judgeRedirect, judgeUrl, type RefusedUrl } from "@toolwright/commands/targets";
import { type CallSite, ToolwrightError } from "@toolwright/engine";
import type { HttpRequest, HttpResponse } from "@toolwright/engine/ports";
import { basicAuthorization, takeBoundSecret } from "../secrets/take-bound-secret.ts";
import type { HttpEnvironment } from "./environment.ts";
import { type Answer, exchange, type Hop, type HopLimits } from "./exchange.ts";
import { checkMessage, isBoundToOrigin, type OutgoingMessage, redirectMessage } from "./message.ts";
import { addressHop, type HopPlan, permitHop } from "./prepare-hop.ts";

const mostRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Sends a request and follows its redirects by hand, because each hop is judged, resolved and dialled like the first. */
export async function followRedirects(request: HttpRequest, environment: HttpEnvironment, limits: HopLimits): Promise<HttpResponse> {
  const maxRedirects = Math.min(request.maxRedirects ?? mostRedirects, mostRedirects);
  const redirects: string[] = [];
  let plan: HopPlan = {
    judged: judgeUrl(request.url, environment.site.network),
    named: request.url,
    message: checkMessage(request),
    credential: request.credential,
  };
  for (;;) {
    const judged = permitHop(plan, environment);
    const message = await addCredential(plan, judged.url, environment);
    const { resolve, site } = environment;
    const hop = await addressHop(judged, message, { resolve, network: site.network, signal: limits.signal });
    const outcome = await exchange(hop, { ...limits, dial: environment.dial }, async (answer) => {
      const next = maxRedirects > 0 ? planNext(answer, hop, environment) : undefined;
      return next ?? respond(answer, hop.url, { redirects, request, site: environment.site });
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

interface Responding {
  readonly redirects: readonly string[];
  readonly request: HttpRequest;
  readonly site: CallSite;
}

/** Nobody sees a part of a secret where the body was cut. */
async function respond(answer: Answer, { href }: URL, { redirects, request, site }: Responding): Promise<HttpResponse> {
  const { body: bytes, truncated } = await answer.body();
  const body = truncated ? site.redactBytes(bytes, { isCut: true }) : bytes;
  const response = { url: href, status: answer.status, headers: Object.fromEntries(answer.headers), body, truncated, redirects };
  return request.credential === undefined ? response : withoutSecrets(response, site);
}

/** The tool does not see a secret that it only named, also when the server sends it back. */
function withoutSecrets(response: HttpResponse, site: CallSite): HttpResponse {
  const redact = (bytes: Uint8Array) => site.redactBytes(bytes, { isCut: false });
  const redactText = (text: string) => Buffer.from(redact(Buffer.from(text))).toString();
  return {
    ...response,
    url: redactText(response.url),
    headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, redactText(value)])),
    body: redact(response.body),
    redirects: response.redirects.map(redactText),
  };
}

/** Follows to other hops as the caller's own headers do: not beyond the origin. */
async function addCredential({ message, credential }: HopPlan, url: URL, environment: HttpEnvironment): Promise<OutgoingMessage> {
  if (credential === undefined) return message;
  const { value, header, user } = await takeBoundSecret(credential, url, environment);
  const name = (header ?? "authorization").toLowerCase();
  if (!isBoundToOrigin(name))
    throw new ToolwrightError(
      "secret_missing",
      `The secret ${JSON.stringify(credential)} cannot be sent in the header ${name}; an operator must set it again with another one.`,
    );
  const usual = user === undefined ? `Bearer ${value}` : basicAuthorization(user, value);
  return { ...message, headers: new Map([...message.headers, [name, header === undefined ? usual : value]]) };
}
