import type { CallResult } from "../contract/call.ts";
import type { Call } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { readDefect } from "./guard-call.ts";
import { recordEnding } from "./record-events.ts";

interface KeptRun {
  readonly run: () => CallResult | Promise<CallResult>;
  /** A call that did not start leaves its key free for another try. */
  readonly frees: boolean;
}

/** Runs, and keeps how the call ended under its idempotency key, if it has one. Gives back the ending that counts. */
export async function keepEnding(call: Call, parts: GateParts, { run, frees }: KeptRun): Promise<CallResult> {
  let result: CallResult;
  try {
    result = await run();
  } catch (error) {
    result = readDefect(call, error, parts);
  }
  // Before another call with the key can be told that this one waits: nothing else would bring that into the log.
  if (frees && !call.started && result.status === "pending") {
    result = await recordEnding(call, result, parts);
    call.isRecorded = true;
  }
  const isHandedOver = result.status === "failed" && result.error.code === "call_handed_over";
  const owner = { tenant: call.principal.tenant, callId: call.id };
  const settlement = { owner, result, at: parts.clock.now() };
  if (!isHandedOver && endsAtOnce(call, result, parts)) {
    result = await recordEnding(call, result, parts, { key: { settlement } });
    call.isRecorded = true;
    if (result === settlement.result) return result;
  }
  try {
    // A key that is followed keeps the ending for its caller; any other is free, so that the call can be made again.
    if (isHandedOver) await parts.idempotency.release(owner);
    if (call.started || (frees && result.status === "pending")) {
      const settled = await parts.idempotency.settle(owner, settlement.result, settlement.at);
      return result === settlement.result ? settled : result;
    }
    // A yes that was used up for a call that did not start answers no other call any more.
    if (frees || call.isApprovalSpent) await parts.idempotency.release(owner);
  } catch (error) {
    parts.logger.log("error", "The ending of a call could not be kept under its key.", { callId: call.id, error: String(error) });
  }
  return result;
}

/** The log and the key hear of it in one write. One that waits, and one whose calls inside are kept, have more to write between the two. */
function endsAtOnce({ started, isRecorded, tree }: Call, { status }: CallResult, { events, idempotency }: GateParts): boolean {
  return started && !isRecorded && status !== "pending" && !tree?.isKept && events.keys === idempotency;
}
