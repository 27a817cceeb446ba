import { type JudgedUrl, judgeUrl, type RefusedUrl } from "@toolwright/commands/targets";
import { type CallSite, ToolwrightError } from "@toolwright/engine";
import { parseRanges } from "./address.ts";
import type { HttpEnvironment } from "./environment.ts";
import type { Hop } from "./exchange.ts";
import type { OutgoingMessage } from "./message.ts";
import { resolveTarget } from "./resolve-target.ts";

export interface HopPlan {
  readonly judged: JudgedUrl | RefusedUrl;
  /** The URL as it was asked for, which is how the call's decision may have named it. */
  readonly named: string;
  readonly message: OutgoingMessage;
  /** Name of the secret that is sent along, of the first hop only. */
  readonly credential?: string | undefined;
}

/** Throws unless the effect, the tool's own hosts and the policy all permit the hop. */
export function permitHop(
  { judged, named, credential, message: { method } }: HopPlan,
  { site, access, hosts, ownHosts }: HttpEnvironment,
): JudgedUrl {
  const permitted = permitHost(judged, ownHosts);
  if (access === "read" && method !== "GET" && method !== "HEAD") {
    throw new ToolwrightError("effect_refused", `The tool ${site.tool} may only read over HTTP, and ${method} is not GET or HEAD.`);
  }
  if (hosts && !judgeUrl(permitted.url.href, { allow: hosts, deny: [] }).ok) {
    throw new ToolwrightError(
      "url_refused",
      `The tool ${site.tool} may reach only ${hosts.join(", ")}, not ${permitted.host}:${permitted.port}.`,
    );
  }
  const decision = site.judge({ kind: "request", url: named, method, credential });
  if (decision.effect !== "allow") {
    throw new ToolwrightError("url_refused", `${method} ${permitted.url.origin} is not permitted: ${decision.reason}`, {
      details: { rule: decision.rule },
    });
  }
  return permitted;
}

/** Throws for a URL that was refused, and for a name of this server. */
export function permitHost(judged: JudgedUrl | RefusedUrl, ownHosts: readonly string[]): JudgedUrl {
  if (!judged.ok) throw new ToolwrightError("url_refused", judged.reason);
  if (ownHosts.every((name) => plainHost(name) !== plainHost(judged.host))) return judged;
  throw new ToolwrightError("url_refused", `${judged.host} is a name of this server itself, which tools do not call; use another host.`);
}

/** Without case, brackets and the dot that ends a full name. */
function plainHost(name: string): string {
  return (URL.parse(`http://${name}`)?.hostname ?? name).toLowerCase().replace(/^\[|\]$|(?<!\.)\.+$/g, "");
}

/** Resolves a permitted hop, so that it holds the addresses that may be dialled. */
export async function addressHop(
  judged: JudgedUrl,
  message: OutgoingMessage,
  { resolve, network, signal }: Pick<HttpEnvironment, "resolve"> & Pick<CallSite, "network" | "signal">,
): Promise<Hop> {
  const ranges = parseRanges(network.allowRanges);
  const addresses = await orAbort(resolveTarget(judged.host, resolve, ranges), signal);
  return { url: judged.url, host: judged.host, port: judged.port, addresses, message };
}

/** A name look-up cannot be cancelled; this only stops waiting for it. */
function orAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
