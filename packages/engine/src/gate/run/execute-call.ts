import type { CallResult } from "../../contract/call.ts";
import type { Decision } from "../../contract/decision.ts";
import { errorCodes, ToolwrightError } from "../../contract/errors.ts";
import type { CallEvent } from "../../contract/events.ts";
import type { ParsedCall, Step } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { loggedInput, noteEvent, recordEvent } from "../record-events.ts";
import { limitCall, nothingToReserve } from "./limit-call.ts";
import { projectOutput } from "./project-output.ts";
import { runTool } from "./run-tool.ts";

/** Limits, runs and projects a call that may run. A call that waits for nothing ends at once: promises are most of what a small call costs. */
export function executeCall(parsed: ParsedCall, decision: Decision, parts: GateParts): CallResult | Promise<CallResult> {
  parsed.call.decision = decision;
  const limited = limitCall(parsed, decision, parts);
  if (limited instanceof Promise || mustBeLogged(parsed)) return executeLogged(parsed, decision, { limited, parts });
  if (limited.end) return limited.end;
  // Not kept, so there is nothing to wait for.
  if (parsed.call.step) void parsed.call.tree?.begin(parsed.call.step);
  parsed.call.started = true;
  noteEvent(parsed.call, "tool.started", startedData(parsed, decision), parts);
  return runAndProject(parsed, decision, parts);
}

/** Runs a call again that was suspended: its limits were reserved when it first ran. */
export function executeAgain(parsed: ParsedCall, decision: Decision, parts: GateParts): Promise<CallResult> {
  parsed.call.decision = decision;
  return executeLogged(parsed, decision, { limited: nothingToReserve, parts });
}

interface Limited {
  readonly limited: ReturnType<typeof limitCall>;
  readonly parts: GateParts;
}

/** The same, once the log has it. */
async function executeLogged(parsed: ParsedCall, decision: Decision, { limited, parts }: Limited): Promise<CallResult> {
  const { call } = parsed;
  const reserved = await limited;
  if (reserved.end) return reserved.end;
  try {
    call.tree?.mustHold();
    // The log first: a step that its tree knows as begun is one that the log knows, too, so that its ending comes to stand there whoever dies.
    await recordEvent(call, "tool.started", startedData(parsed, decision), parts);
    if (call.step) await call.tree?.begin(call.step);
  } catch (error) {
    await reserved.value();
    parts.logger.log("error", "The event log cannot be written; the call did not run.", { callId: call.id, error: String(error) });
    const known = ToolwrightError.is(error) ? error : undefined;
    const message = `${errorCodes.record_failed} ${known?.message ?? "The operator's log says why."}`;
    return call.failed({ code: "record_failed", message, ...(known && { details: { cause: known.code } }) });
  }
  call.started = true;
  return runAndProject(parsed, decision, parts);
}

function runAndProject(parsed: ParsedCall, decision: Decision, parts: GateParts): CallResult | Promise<CallResult> {
  const project = (ran: Step<unknown>) => ran.end ?? projectOutput(parsed, ran.value, decision, parts);
  const running = runTool(parsed, parts);
  return running instanceof Promise ? running.then(project) : project(running);
}

/** `idempotent`: whoever finds that the call was lost may run it again. */
function startedData({ tool, input }: ParsedCall, { effect, layer, rule, reason, revision }: Decision): CallEvent["data"] {
  const again = tool.hints.idempotentHint ? { idempotent: true } : {};
  return { effect, layer, rule, reason, revision, input: loggedInput(input), ...again };
}

/** What changes something is in the log before it happens, or does not happen (R-AU-1); so is what may happen once only. */
function mustBeLogged({ call, tool, approved }: ParsedCall): boolean {
  return tool.changes || approved || call.options.idempotencyKey !== undefined || call.tree?.isKept === true;
}
