import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities, type LoggingLevel, type ServerContext } from "@modelcontextprotocol/server";
import type { InvokeOptions } from "@toolwright/engine";
import { type ClientFeature, supports } from "./client-capability.ts";

/** One request of a client while it is open: what it carries, and the way back for what happens before the answer. */
export interface Exchange {
  readonly capabilities: ClientCapabilities | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
  /** True when the request stays open while the client is asked: in sessions of 2025-era clients. */
  readonly staysOpen: boolean;
  can(feature: ClientFeature): boolean;
  readonly onProgress: NonNullable<InvokeOptions["onProgress"]>;
  readonly onLog: NonNullable<InvokeOptions["onLog"]>;
  /** After this nothing more is sent. */
  close(): void;
}

const levels: Record<Parameters<NonNullable<InvokeOptions["onLog"]>>[0], LoggingLevel> = {
  debug: "debug",
  info: "info",
  warn: "warning",
  error: "error",
};

/** `declared` are the capabilities of the session; a 2026-07-28 request carries its own. */
export function openExchange(ctx: ServerContext, declared: ClientCapabilities | undefined, logger: string): Exchange {
  const capabilities = declaredCapabilities(ctx) ?? declared;
  let open = true;
  let last = Number.NEGATIVE_INFINITY;
  return {
    capabilities,
    inputResponses: ctx.mcpReq.inputResponses,
    signal: ctx.mcpReq.signal,
    staysOpen: ctx.mcpReq.envelope === undefined,
    can: (feature) => supports(capabilities, feature),
    onProgress({ done, total, message }) {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      // Progress must increase with each notification (2026-07-28, "Progress").
      if (!open || progressToken === undefined || done <= last) return;
      last = done;
      const params = { progressToken, progress: done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
      ctx.mcpReq.notify({ method: "notifications/progress", params }).catch(ignoreLostClient);
    },
    onLog(level, message) {
      if (open) ctx.mcpReq.log(levels[level], message, logger).catch(ignoreLostClient);
    },
    close() {
      open = false;
    },
  };
}

/** The capabilities in the envelope of a 2026-07-28 request; the SDK checked their form. */
function declaredCapabilities(ctx: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** A notification to a client that is gone is lost by definition; its call is cancelled by the signal. */
function ignoreLostClient(): void {}
