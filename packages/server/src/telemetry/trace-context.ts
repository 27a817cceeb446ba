import { createTraceState, isSpanContextValid, type SpanContext } from "@opentelemetry/api";
import type { TraceContext } from "@toolwright/engine/ports";

/** `version-traceid-spanid-flags`; later versions may append fields (https://www.w3.org/TR/trace-context/, sections 3.2 and 4.3). */
const form = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const longestState = 512;

/** Undefined for what is no trace context: a broken one is as if there were none. */
export function readTraceContext({ traceparent, tracestate }: TraceContext): SpanContext | undefined {
  const [, format, traceId = "", spanId = "", flags = "", more] = form.exec(traceparent) ?? [];
  if (format === undefined || (format === "00" && more !== undefined)) return undefined;
  const state = tracestate !== undefined && tracestate.length <= longestState ? createTraceState(tracestate) : undefined;
  const read = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true, ...(state && { traceState: state }) };
  return isSpanContextValid(read) ? read : undefined;
}

export function writeTraceContext({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const tracestate = traceState?.serialize();
  return { traceparent: `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`, ...(tracestate && { tracestate }) };
}
