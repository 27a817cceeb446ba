import type { CallError, CallResult } from "../contract/call.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { Call } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { endingOf, noteEvent, recordEvent } from "./record-events.ts";

/**
 * Brings the ending into the log, and gives back the answer that may leave: of a call that did more than read, only once the log holds how it
 * ended, and the ending that the log holds. Never rejects.
 */
export function recordEnding(call: Call, result: CallResult, parts: GateParts): CallResult | Promise<CallResult> {
  if (call.isRecorded) return result;
  const [type, data] = endingOf(result, call.input);
  if (!didMoreThanRead(call)) {
    noteEvent(call, type, data, parts);
    return result;
  }
  return recordEvent(call, type, data, parts).then(
    () => result,
    (error: unknown) => {
      if (ToolwrightError.is(error) && error.code === "call_lost") return endedElsewhere(call, error);
      parts.logger.log("error", "An event could not be written.", { type, callId: call.id, error: String(error) });
      return unrecorded(result);
    },
  );
}

/** By what the call is and did, whichever door it came through. */
function didMoreThanRead({ tool, isAsked, options, posture, artifacts }: Call): boolean {
  return tool?.changes === true || isAsked || options.idempotencyKey !== undefined || posture !== undefined || artifacts.length > 0;
}

/** This process was taken for gone meanwhile: what it found out counts no more. */
function endedElsewhere(call: Call, { code, message }: ToolwrightError): CallResult {
  const error: CallError = { code, message };
  return { ...call.facts(), status: "unknown", error };
}

const notRecorded = {
  kind: "not_recorded",
  message: "The log could not be written when this call ended. It shows the ending when the store is back, or as unknown.",
} as const;

/** What was done is done; but whoever looks it up must know that the log may say less. */
function unrecorded(result: CallResult): CallResult {
  return { ...result, anomalies: [...result.anomalies, notRecorded] };
}
