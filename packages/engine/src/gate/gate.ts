import type { CallResult } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import { errorCodes } from "../contract/errors.ts";
import { weighEffects } from "../tool/effects.ts";
import { Call, type ParsedCall, type Step, toCallError } from "./call.ts";
import { decideCall } from "./decide-call.ts";
import { findTool } from "./find-tool.ts";
import type { GateParts } from "./gate-parts.ts";
import { limitCall } from "./limit-call.ts";
import { parseCallInput } from "./parse-call-input.ts";
import { projectOutput } from "./project-output.ts";
import { decisionData, endingOf, loggedCopy, noteEvent, recordEvent } from "./record-events.ts";
import { requestApproval } from "./request-approval.ts";
import { runTool } from "./run-tool.ts";

export type CallRequest = ConstructorParameters<typeof Call>[1] & { readonly input: unknown };

/** The one path of every call: find, admit, parse, decide, approve, limit, run, project, record. Never rejects. */
export function passGate(request: CallRequest, parts: GateParts): Promise<CallResult> {
  return guard(new Call(parts, request), parts, async (call) => {
    const prepared = prepareCall(call, request.input, parts);
    if (prepared.end) return prepared.end;
    const decision = decideCall(prepared.value, parts);
    if (decision.effect === "deny") return call.denied(decision);
    if (decision.effect === "ask") return requestApproval(prepared.value, decision, parts);
    return executeCall(prepared.value, decision, parts);
  });
}

/** Find, admit and parse. */
export function prepareCall(call: Call, input: unknown, parts: GateParts): Step<ParsedCall> {
  const found = findTool(call, parts);
  if (found.end) return found;
  const parsed = parseCallInput(call, found.value, input);
  if (parsed.end) return parsed;
  return { value: { call, tool: found.value, input: parsed.value, approved: false } };
}

/** Limit, run and project a call that may run. */
export async function executeCall(parsed: ParsedCall, decision: Decision, parts: GateParts): Promise<CallResult> {
  const { call } = parsed;
  const limited = await limitCall(parsed, decision, parts);
  if (limited.end) return limited.end;
  const started = { ...decisionData(decision), ...loggedCopy("input", parsed.input) };
  if (mustBeLogged(parsed)) {
    try {
      await recordEvent(call, "tool.started", started, parts);
    } catch (error) {
      limited.value();
      parts.logger.log("error", "The event log cannot be written; the call did not run.", { callId: call.id, error: String(error) });
      return call.failed({ code: "record_failed", message: `${errorCodes.record_failed} The operator's log says why.` });
    }
  } else {
    noteEvent(call, "tool.started", started, parts);
  }
  const ran = await runTool(parsed, parts);
  return ran.end ?? projectOutput(parsed, ran.value, decision, parts);
}

/** What changes something is in the log before it happens, or does not happen (R-AU-1). */
function mustBeLogged({ call, tool }: ParsedCall): boolean {
  return weighEffects(tool.effects).changes || call.principal.source === "api";
}

/** Runs stages to their ending, records it, and turns a defect of ours into a result. */
export async function guard(call: Call, parts: GateParts, stages: (call: Call) => Promise<CallResult>): Promise<CallResult> {
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
