import type { CallResult } from "../contract/call.ts";
import type { ToolwrightError } from "../contract/errors.ts";
import { describeMissingTenant } from "../ports/tenant-store.ts";
import { type Call, toCallError } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { noteResult } from "./notes/note-result.ts";
import { loggedInput, recordEnding } from "./record-events.ts";
import { loggedResult } from "./sealed/sealed-results.ts";
import { refuseSession } from "./session-access.ts";

/** Runs stages to their ending, records it, and turns a defect of ours into a result. Never throws or rejects; what waits for nothing ends at once. */
export function guardCall(
  call: Call,
  parts: GateParts,
  stages: (call: Call) => CallResult | Promise<CallResult>,
): CallResult | Promise<CallResult> {
  const guard = () => guardStages(call, parts, stages);
  const describe = () => ({ name: call.tool?.name, tenant: call.principal.tenant, callId: call.id });
  return parts.telemetry?.within?.(describe, guard) ?? guard();
}

function guardStages(
  call: Call,
  parts: GateParts,
  stages: (call: Call) => CallResult | Promise<CallResult>,
): CallResult | Promise<CallResult> {
  if (!call.options.preparation) call.openSpan();
  const note = (result: CallResult) => endSpan(call, noteResult(call, result, parts));
  const record = (result: CallResult) => {
    // A call that was only prepared, and ends here all the same.
    if (!call.isRecorded) call.openSpan();
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

function endSpan(call: Call, result: CallResult): CallResult {
  const { span, tool, decision, redactor } = call;
  if (!span) return result;
  const readInput = () => redactor.redactJson(loggedInput(call.input ?? null));
  span.end({ result: loggedResult(result), tool: tool?.definition, decision: decision ?? decisionOf(result), readInput });
  return result;
}

const decisionOf = (result: CallResult) => ("decision" in result ? result.decision : undefined);

/** Goes on where the tenant exists and the session is the caller's to use. */
function admitted(
  call: Call,
  parts: GateParts,
  stages: (call: Call) => CallResult | Promise<CallResult>,
): CallResult | Promise<CallResult> {
  const stranger = refuseTenant(call, parts);
  const refused = stranger ? stranger.then((end) => end ?? refuseCallSession(call, parts)) : refuseCallSession(call, parts);
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

/** Ends a call for a tenant that does not exist, before anything of it happens; undefined for any other. */
export function refuseTenant(call: Call, { tenants }: Pick<GateParts, "tenants">): undefined | Promise<CallResult | undefined> {
  const known = tenants.has(call.principal.tenant);
  if (known === true) return undefined;
  return Promise.resolve(known).then((exists) => (exists ? undefined : refuseUnknown(call)));
}

function refuseUnknown(call: Call): CallResult {
  // Its events would belong to nobody.
  call.isRecorded = true;
  const { tenant } = call.principal;
  return call.failed({
    code: "tenant_not_found",
    message: describeMissingTenant(tenant),
  });
}

/** Ends a call in a session that is not the caller's to use, before anything of it happens; undefined for any other. */
function refuseCallSession(call: Call, parts: GateParts): CallResult | undefined | Promise<CallResult | undefined> {
  // That of a call inside another one is the session of its root.
  if (call.place) return undefined;
  const refusal = refuseSession(call.principal, call.session, parts);
  return refusal instanceof Promise ? refusal.then((error) => error && endStranger(call, error)) : refusal && endStranger(call, refusal);
}

function endStranger(call: Call, error: ToolwrightError): CallResult {
  // The log of that session is somebody else's.
  call.isRecorded = true;
  return call.failed(toCallError(error, call.id));
}
