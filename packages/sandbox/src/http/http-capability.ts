import { type CallSite, type CapabilityProvider, type EffectOf, type Http, ToolwrightError } from "@toolwright/engine";
import { type Clock, type HttpRequest, type HttpResponse, type SecretStore, systemClock } from "@toolwright/engine/ports";
import { createDial, type Dial } from "./dial.ts";
import type { HttpEnvironment } from "./environment.ts";
import { followRedirects } from "./follow-redirects.ts";
import { type Resolve, resolveWithSystem } from "./resolve-target.ts";

export interface HttpCapabilityOptions {
  /** Default: the system's resolver. Asked once for each hop. */
  readonly resolve?: Resolve;
  /** Default: `createDial()`. Gets checked addresses only. */
  readonly connect?: Dial;
  readonly clock?: Clock;
  /** Holds the secrets that requests may name in `credential`. Default: none. */
  readonly secrets?: SecretStore;
  /** Names under which the engine itself is reached: no tool calls it, on any port, whatever their addresses. Default: none. */
  readonly ownHosts?: readonly string[];
}

/** Guarded HTTP: what the policy does not permit and what is not public is not reached. */
export function httpCapability(options: HttpCapabilityOptions = {}): CapabilityProvider<"http"> {
  const { resolve = resolveWithSystem, connect: dial = createDial(), clock = systemClock, secrets, ownHosts = [] } = options;
  return {
    name: "http",
    open(effect: EffectOf<"http">, site: CallSite): Http {
      const { access, hosts } = typeof effect === "string" ? { access: effect, hosts: undefined } : effect;
      const environment: HttpEnvironment = { resolve, dial, clock, secrets, site, access, hosts, ownHosts };
      return { anyMethod: true, request: (request) => sendWithin(request, environment) };
    },
  };
}

const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 5_000_000;
/** RFC 9110 section 9.2.2: the methods that a lost answer leaves in doubt. */
const notIdempotent = new Set(["POST", "PATCH"]);

async function sendWithin(request: HttpRequest, environment: HttpEnvironment): Promise<HttpResponse> {
  const { site, clock } = environment;
  site.signal.throwIfAborted();
  const { timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes, method = "GET" } = request;
  const deadline = new AbortController();
  const cancel = clock.after(timeoutMs, () => deadline.abort(timedOut(request.url, timeoutMs)));
  let sent = false;
  const onSend = () => {
    sent ||= notIdempotent.has(method.toUpperCase());
  };
  try {
    const signal = AbortSignal.any([site.signal, deadline.signal]);
    return await followRedirects(request, environment, { maxBytes, signal, onData: () => site.alive(), onSend });
  } catch (error) {
    throw sent ? lostAnswer(error) : error;
  } finally {
    cancel();
  }
}

function timedOut(url: string, timeoutMs: number): ToolwrightError {
  return new ToolwrightError("timeout", `The request to ${url} took longer than ${timeoutMs} ms; allow more time or ask for less.`);
}

/** `details.sent` says that the effect may have happened: the caller must not send it again blindly. */
function lostAnswer(error: unknown): ToolwrightError {
  const known = ToolwrightError.is(error) ? error : undefined;
  const message = `${known?.message ?? "The request was cancelled."} It had been sent, so it may have had its effect; look before you send it again.`;
  return new ToolwrightError("connection_failed", message, { cause: error, details: { sent: true, reason: known?.code ?? "cancelled" } });
}
