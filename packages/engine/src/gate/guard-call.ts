import type { CallResult } from "../contract/call.ts";
import { refuseSession } from "./admit-session.ts";
import { refuseTenant } from "./admit-tenant.ts";
import { type Call, toCallError } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { noteResult } from "./notes/note-result.ts";
import { recordEnding } from "./record-ending.ts";

/** Runs stages to their ending, records it, and turns a defect of ours into a result. Never throws or rejects; what waits for nothing ends at once. */
export function guardCall(
  call: Call,
  parts: GateParts,
  stages: (call: Call) => CallResult | Promise<CallResult>,
): CallResult | Promise<CallResult> {
  const note = (result: CallResult) => noteResult(call, result, parts);
  const record = (result: CallResult) => {
    const recorded = call.tree ? recordInTree(call, result, parts) : recordEnding(call, result, parts);
    return recorded instanceof Promise ? recorded.then(note) : note(recorded);
  };
  const recover = (error: unknown) => record(readDefect(call, error, parts));
  let ending: CallResult | Promise<CallResult>;
  try {
    ending = admitted(call, parts, stages);
  } catch (error) {
    return recover(error);
  }
  return ending instanceof Promise ? ending.then(record, recover) : record(ending);
}

/** Goes on where the tenant exists and the session is the caller's to use. */
function admitted(
  call: Call,
  parts: GateParts,
  stages: (call: Call) => CallResult | Promise<CallResult>,
): CallResult | Promise<CallResult> {
  const stranger = refuseTenant(call, parts);
  const refused = stranger ? stranger.then((end) => end ?? refuseSession(call, parts)) : refuseSession(call, parts);
  return refused instanceof Promise ? refused.then((end) => end ?? stages(call)) : (refused ?? stages(call));
}

/** What a defect of a stage becomes. */
export function readDefect(call: Call, error: unknown, { logger }: GateParts): CallResult {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logger.log("error", "A stage of the gate threw.", { callId: call.id, tool: call.name, error: call.redactor.redact(text) });
  return call.failed(toCallError(error, call.id));
}

/** The store of the tree first: a run that lost the call to another one says nothing in the log. */
function recordInTree(call: Call, result: CallResult, parts: GateParts): CallResult | Promise<CallResult> {
  const { tree, step } = call;
  if (tree?.rootId === call.id) return tree.isKept ? recordRoot(call, result, parts) : recordEnding(call, result, parts);
  const kept = step && result.status !== "pending" ? tree?.end(step, result) : undefined;
  if (!kept) return recordEnding(call, result, parts);
  return kept.then(
    () => recordEnding(call, result, parts),
    (error: unknown) => {
      call.isRecorded = true;
      return call.failed(toCallError(error, call.id));
    },
  );
}

/** And then others may go on with it. */
async function recordRoot(call: Call, result: CallResult, parts: GateParts): Promise<CallResult> {
  const log = (level: "warn" | "error", message: string) => (error: unknown) =>
    parts.logger.log(level, message, { callId: call.id, error: String(error) });
  const settled = await call.tree?.settle(result).catch(log("error", "How a call with calls inside ended could not be kept."));
  if (settled && settled !== result) call.isRecorded = true;
  const recorded = await recordEnding(call, settled ?? result, parts);
  if (recorded.status === "pending")
    await call.tree?.release().catch(log("warn", "A call that waits is let go of when its lease is over."));
  return recorded;
}
