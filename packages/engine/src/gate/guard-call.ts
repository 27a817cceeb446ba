import type { CallResult } from "../contract/call.ts";
import { type Call, toCallError } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { endingOf, noteEvent, recordEvent } from "./record-events.ts";

/** Runs stages to their ending, records it, and turns a defect of ours into a result. Never rejects. */
export function guardCall(call: Call, parts: GateParts, stages: (call: Call) => CallResult | Promise<CallResult>): Promise<CallResult> {
  const record = (result: CallResult) => recordEnding(call, result, parts);
  const recover = (error: unknown) => record(readDefect(call, error, parts));
  let ending: CallResult | Promise<CallResult>;
  try {
    ending = stages(call);
  } catch (error) {
    return Promise.resolve(recover(error));
  }
  return ending instanceof Promise ? ending.then(record, recover) : Promise.resolve(record(ending));
}

/** What a defect of a stage becomes. */
export function readDefect(call: Call, error: unknown, { logger }: GateParts): CallResult {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logger.log("error", "A stage of the gate threw.", { callId: call.id, tool: call.name, error: call.redactor.redact(text) });
  return call.failed(toCallError(error));
}

/** Callers of the API read the run by its id right away, so its event is waited for (X7). */
function recordEnding(call: Call, result: CallResult, parts: GateParts): CallResult | Promise<CallResult> {
  if (call.isRecorded) return result;
  const [type, data] = endingOf(result, call.input);
  if (call.principal.source !== "api") {
    noteEvent(call, type, data, parts);
    return result;
  }
  return recordEvent(call, type, data, parts).then(
    () => result,
    (error: unknown) => {
      parts.logger.log("error", "An event could not be written.", { type, callId: call.id, error: String(error) });
      return result;
    },
  );
}
