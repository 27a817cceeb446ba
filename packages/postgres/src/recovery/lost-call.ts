import type { CallError, CallEvent, CallResult } from "@toolwright/engine";
import { asJson, endingOf } from "@toolwright/engine/ports";

/** A call that its process left, as the log has its start. */
export interface LostCall {
  readonly started: CallEvent;
  /** How it ended, where that was kept before its process died: only the log did not hear of it. */
  readonly result?: CallResult | undefined;
}

/** Running it twice does no harm, as its tool said when it started. */
export function isRerunnable({ started }: LostCall): boolean {
  return started.data.idempotent === true;
}

function lostError(call: LostCall): CallError {
  const { tool, callId } = call.started;
  const advice = isRerunnable(call)
    ? "Running it again does no harm."
    : "Look at what it may have changed before you call it again; it is not retried by itself.";
  return {
    code: "call_lost",
    message: `The process that ran "${tool}" ended before the call did, so nobody knows how call ${callId} ended. ${advice}`,
  };
}

/** What a caller with the same idempotency key is told from now on. */
export function lostResult(call: LostCall): CallResult {
  const { callId, tool } = call.started;
  return { callId, tool, durationMs: 0, repairs: [], anomalies: [], artifacts: [], status: "unknown", error: lostError(call) };
}

/** The event that ends it: as it ended, or as unknown. */
export function lostEnding(call: LostCall, at: number): CallEvent {
  const { started, result } = call;
  if (result && result.status !== "pending") {
    const [type, data] = endingOf(result, null);
    return { ...started, type, at, data };
  }
  const rerunnable = isRerunnable(call) ? { rerunnable: true } : {};
  return { ...started, type: "tool.failed", at, data: { outcome: "unknown", error: asJson(lostError(call)), ...rerunnable } };
}
