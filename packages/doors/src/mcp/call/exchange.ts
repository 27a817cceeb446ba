import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities, type LoggingLevel, type ServerContext } from "@modelcontextprotocol/server";
import type { InvokeOptions } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import type { ClientFeature } from "../client.ts";
import { reportProgress } from "./report-progress.ts";

/** One request of a client while it is open: what it carries, and the way back for what happens before the answer. */
export interface Exchange {
  readonly capabilities: ClientCapabilities | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
  /** True when the request stays open while the client is asked: in sessions of 2025-era clients. */
  readonly staysOpen: boolean;
  /** True when the client asked for word of progress. */
  readonly hearsProgress: boolean;
  can(feature: ClientFeature): boolean;
  readonly onProgress: NonNullable<InvokeOptions["onProgress"]>;
  readonly onOutput: NonNullable<InvokeOptions["onOutput"]>;
  readonly onLog: NonNullable<InvokeOptions["onLog"]>;
  /** The last word of progress; undefined before the first. */
  lastProgress(): number | undefined;
  /** After this nothing more is sent. */
  close(): void;
}

export interface ExchangeOptions {
  /** The capabilities of the session; a 2026-07-28 request carries its own. */
  readonly declared: ClientCapabilities | undefined;
  readonly logger: string;
  readonly clock: Clock;
  readonly progressMs: number;
  /** What happens meanwhile, as the beginning of "… for 10 s". */
  readonly doing?: string | undefined;
  /** The last word of progress of the exchange that this one follows on. */
  readonly after?: number | undefined;
}

const levels: Record<Parameters<NonNullable<InvokeOptions["onLog"]>>[0], LoggingLevel> = {
  debug: "debug",
  info: "info",
  warn: "warning",
  error: "error",
};

export function openExchange(ctx: ServerContext, { declared, logger, clock, progressMs, doing, after }: ExchangeOptions): Exchange {
  const capabilities = declaredCapabilities(ctx) ?? declared;
  const progressToken = ctx.mcpReq._meta?.progressToken;
  const progress =
    progressToken === undefined
      ? undefined
      : reportProgress({
          clock,
          everyMs: progressMs,
          ...{ doing, after },
          send: (word) =>
            void ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...word } }).catch(ignoreLostClient),
        });
  let open = true;
  return {
    capabilities,
    inputResponses: ctx.mcpReq.inputResponses,
    signal: ctx.mcpReq.signal,
    staysOpen: ctx.mcpReq.envelope === undefined,
    hearsProgress: progress !== undefined,
    can: (feature) => supports(capabilities, feature),
    onProgress: (said) => progress?.onProgress(said),
    onOutput: (text) => progress?.onOutput(text),
    onLog(level, message) {
      if (open) ctx.mcpReq.log(levels[level], message, logger).catch(ignoreLostClient);
    },
    lastProgress: () => progress?.last() ?? after,
    close() {
      open = false;
      progress?.close();
    },
  };
}

const capabilityOf: Record<ClientFeature, (capabilities: ClientCapabilities) => object | undefined> = {
  elicit: ({ elicitation }) => (elicitation && (elicitation.form || !elicitation.url) ? elicitation : undefined),
  sample: ({ sampling }) => sampling,
  roots: ({ roots }) => roots,
};

export function supports(capabilities: ClientCapabilities | undefined, feature: ClientFeature): boolean {
  return capabilities !== undefined && capabilityOf[feature](capabilities) !== undefined;
}

/** The capabilities in the envelope of a 2026-07-28 request; the SDK checked their form. */
function declaredCapabilities(ctx: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** A notification to a client that is gone is lost by definition; its call is cancelled by the signal. */
function ignoreLostClient(): void {}
