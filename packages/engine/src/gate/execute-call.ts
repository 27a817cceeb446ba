import type { CallResult } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import { errorCodes } from "../contract/errors.ts";
import type { ParsedCall } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { limitCall } from "./limit-call.ts";
import { projectOutput } from "./project-output.ts";
import { loggedCopy, noteEvent, recordEvent } from "./record-events.ts";
import { runTool } from "./run-tool.ts";

/** Limit, run and project a call that may run. */
export async function executeCall(parsed: ParsedCall, decision: Decision, parts: GateParts): Promise<CallResult> {
  const { call } = parsed;
  const limiting = limitCall(parsed, decision, parts);
  const limited = limiting instanceof Promise ? await limiting : limiting;
  if (limited.end) return limited.end;
  const { effect, layer, rule, reason, revision } = decision;
  const started = { effect, layer, rule, reason, revision, input: loggedCopy(parsed.input) };
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
  const running = runTool(parsed, parts);
  const ran = running instanceof Promise ? await running : running;
  return ran.end ?? projectOutput(parsed, ran.value, decision, parts);
}

/** What changes something is in the log before it happens, or does not happen (R-AU-1). */
function mustBeLogged({ call, tool }: ParsedCall): boolean {
  return tool.changes || call.principal.source === "api";
}
