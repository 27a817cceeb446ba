import { judgeUrl } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import { type Clock, type HttpResponse, systemClock } from "@toolwright/engine/ports";
import { createDial, type Dial } from "./dial.ts";
import { exchange } from "./exchange.ts";
import { checkMessage } from "./message.ts";
import { type Resolve, resolveTarget, resolveWithSystem } from "./resolve-target.ts";

export interface PublicDocumentOptions {
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Default: `createDial()`. Gets checked addresses only. */
  readonly connect?: Dial;
  readonly clock?: Clock;
  /** Decoded bytes kept of a document. */
  readonly maxBytes: number;
  /** Milliseconds for the whole of it. */
  readonly timeoutMs: number;
}

/**
 * Reads documents at https addresses that strangers name, for the server itself: no tool asks, and no policy speaks for it. *Contract:* a name is
 * resolved once and a public address dialled, certificates are checked, nothing is sent that says who asks, and no redirect is followed.
 * Errors: `url_refused`, `name_not_resolved`, `connection_failed`, `response_too_large` (headers), `timeout`.
 */
export function publicDocuments(options: PublicDocumentOptions): (url: string) => Promise<HttpResponse> {
  const { resolve = resolveWithSystem, connect: dial = createDial(), clock = systemClock, maxBytes, timeoutMs } = options;
  return async (url) => {
    const judged = judgeUrl(url, { deny: [] });
    if (!judged.ok) throw new ToolwrightError("url_refused", judged.reason);
    if (judged.url.protocol !== "https:")
      throw new ToolwrightError("url_refused", `${url} is not encrypted; only https addresses are read.`);
    const deadline = new AbortController();
    const late = new ToolwrightError("timeout", `Reading ${url} took longer than ${timeoutMs} ms.`);
    const over = Promise.withResolvers<never>();
    const cancel = clock.after(timeoutMs, () => {
      deadline.abort(late);
      over.reject(late);
    });
    try {
      // A name look-up cannot be cancelled; this only stops waiting for it.
      const addresses = await Promise.race([resolveTarget(judged.host, resolve, []), over.promise]);
      const message = checkMessage({ headers: { accept: "application/json" } });
      const hop = { url: judged.url, host: judged.host, port: judged.port, addresses, message };
      const limits = { maxBytes, dial, signal: deadline.signal, onData: () => {}, onSend: () => {} };
      return await exchange(hop, limits, async (answer) => ({
        url: judged.url.href,
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        ...(await answer.body()),
        redirects: [],
      }));
    } finally {
      cancel();
    }
  };
}
