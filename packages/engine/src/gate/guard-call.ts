import type { CallResult } from "../contract/call.ts";
import { type Call, toCallError } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { endingOf, noteEvent, recordEvent } from "./record-events.ts";

/** Runs stages to their ending, records it, and turns a defect of ours into a result. */
export async function guardCall(call: Call, parts: GateParts, stages: (call: Call) => Promise<CallResult>): Promise<CallResult> {
  let result: CallResult;
  try {
    result = await stages(call);
  } catch (error) {
    parts.logger.log("error", "A stage of the gate threw.", {
      callId: call.id,
      tool: call.name,
      error: error instanceof Error ? error.stack : String(error),
    });
    result = call.failed(toCallError(error));
  }
  const [type, data] = endingOf(result);
  if (call.principal.source === "api") {
    await recordEvent(call, type, data, parts).catch((error: unknown) =>
      parts.logger.log("error", "An event could not be written.", { type, callId: call.id, error: String(error) }),
    );
  } else {
    noteEvent(call, type, data, parts);
  }
  return result;
}
