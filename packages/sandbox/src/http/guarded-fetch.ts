import { judgeUrl } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import type { NetworkRules } from "@toolwright/engine/ports";
import { createDial } from "./dial.ts";
import { type Answer, exchange, type Hop } from "./exchange.ts";
import type { HttpCapabilityOptions } from "./http-capability.ts";
import { checkMessage } from "./message.ts";
import { addressHop, permitHost } from "./prepare-hop.ts";
import { resolveWithSystem } from "./resolve-target.ts";

export interface GuardedFetchOptions extends Pick<HttpCapabilityOptions, "resolve" | "connect" | "ownHosts"> {
  /** What the policy opens. */
  readonly network: NetworkRules;
  /** Decoded bytes of one answer. Default 64 MB. */
  readonly maxBytes?: number;
}

const defaultMaxBytes = 64_000_000;

/**
 * `fetch` for the server's own requests to a server that a tenant names. The answer is read as it comes. *Contract:* the URL is judged by the
 * network rules, its name resolved once and a checked address dialled; certificates are checked, the environment has no say, and a redirect is
 * the answer itself. Rejects with `url_refused`, and with a `TypeError` as `fetch` does where no connection comes about; an answer that is longer than
 * it may be breaks off with `response_too_large`.
 */
export function guardedFetch(options: GuardedFetchOptions): typeof fetch {
  const { network, resolve = resolveWithSystem, connect: dial = createDial(), ownHosts = [], maxBytes = defaultMaxBytes } = options;
  return async (input, init) => {
    const judged = permitHost(judgeUrl(input instanceof Request ? input.url : String(input), network), ownHosts);
    const request = new Request(input, init);
    const { signal } = request;
    const message = checkMessage({
      method: request.method,
      // What is compressed comes late: it is held back until there is enough of it.
      headers: { ...Object.fromEntries(request.headers), "accept-encoding": "identity" },
      ...(request.body && { body: new Uint8Array(await request.arrayBuffer()) }),
    });
    const hop = await addressHop(judged, message, { resolve, network, signal }).catch(asFetchDoes);
    return send(hop, { dial, maxBytes, signal });
  };
}

type Sending = Pick<Parameters<typeof exchange>[1], "dial" | "maxBytes" | "signal">;

/** Resolves with the beginning of the answer; the connection ends with the whole of it. */
function send(hop: Hop, sending: Sending): Promise<Response> {
  return new Promise((resolve, reject) => {
    const limits = { ...sending, onData() {}, onSend() {} };
    const use = (answer: Answer) =>
      new Promise<void>((end) => {
        const { status, headers } = answer;
        const body = bodiless.has(status) ? null : bodyOf(answer, hop, { ...sending, end });
        resolve(new Response(body, { status, headers: [...headers] }));
        if (body === null) end();
        // Nobody reads on.
        sending.signal.addEventListener("abort", () => end(), { once: true });
      });
    exchange(hop, limits, use).catch(asFetchDoes).catch(reject);
  });
}

/** Those that `Response` has no body for. */
const bodiless = new Set([204, 205, 304]);

type Reading = Pick<Sending, "maxBytes" | "signal"> & { readonly end: () => void };

function bodyOf(answer: Answer, { host }: Hop, { maxBytes, signal, end }: Reading): ReadableStream<Uint8Array> {
  const chunks = answer.stream()[Symbol.asyncIterator]();
  let size = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done = false, value } = await chunks.next();
    if (done) {
      controller.close();
      return end();
    }
    size += value.byteLength;
    if (size > maxBytes) throw new ToolwrightError("response_too_large", `${host} answered with more than ${maxBytes} bytes.`);
    controller.enqueue(value);
  };
  const explain = (error: unknown) => {
    end();
    if (ToolwrightError.is(error)) throw error;
    throw signal.aborted ? signal.reason : new TypeError("terminated", { cause: error });
  };
  return new ReadableStream({ pull: (controller) => pull(controller).catch(explain), cancel: end }, { highWaterMark: 0 });
}

/** What a program that knows `fetch` may try again is said as `fetch` says it; a refusal stays one. */
function asFetchDoes(error: unknown): never {
  if (ToolwrightError.is(error) && mayPass.has(error.code)) throw new TypeError("fetch failed", { cause: error });
  throw error;
}

const mayPass: ReadonlySet<string> = new Set(["connection_failed", "name_not_resolved"]);
