import type { CallResult } from "../../contract/call.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import { isFailure } from "../../tool/result.ts";
import { type ParsedCall, type Step, toCallError } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import type { PartCalls } from "../tree/part-calls.ts";
import { OutputFollower } from "./follow-output.ts";
import { makeContext, type Run } from "./make-context.ts";
import { type RunOutcome, RunSupervisor } from "./supervise-run.ts";

/** Milliseconds. */
export const defaultTimeoutMs = 300_000;

/** Runs the tool with the capabilities of its effects, within its time, and gives what it returned; at once when the tool does not wait. */
export function runTool(parsed: ParsedCall, parts: GateParts): Step<unknown> | Promise<Step<unknown>> {
  const { call, tool, input } = parsed;
  const limits = tool.definition.limits;
  const timeoutMs = (limits?.timeoutMs ?? defaultTimeoutMs) - ranBefore(call);
  const supervisor = new RunSupervisor(parts.clock, { timeoutMs, idleMs: limits?.idleMs });
  const run: Run = { supervisor, follower: new OutputFollower(call, parts), ended: false };
  const end = (outcome: RunOutcome) => {
    run.ended = true;
    supervisor.finish();
    run.follower.finish();
    return (run.calls && outcomeOfParts(call, run.calls, outcome)) ?? readOutcome(parsed, outcome, { ...limits, parts });
  };
  const start = () => {
    const context = makeContext(parsed, run, parts);
    return run.calls
      ? run.calls.awaitAll(() => tool.definition.run(input as never, context as never))
      : tool.definition.run(input as never, context as never);
  };
  const outcome = supervisor.run(start, call.options.signal);
  return outcome instanceof Promise ? outcome.then(end) : end(outcome);
}

/** Of a call that is run again, what its time limit has been used for already. */
function ranBefore({ id, tree }: ParsedCall["call"]): number {
  return tree?.rootId === id ? tree.ranBeforeMs : 0;
}

/** What its calls inside make of a call, whatever its handler did; undefined when they leave it alone. */
function outcomeOfParts(call: ParsedCall["call"], { pending }: PartCalls, outcome: RunOutcome): Step<unknown> | undefined {
  if (call.tree?.voided !== undefined) return { end: call.failed({ code: "call_void", message: call.tree.voided }) };
  if (!pending || (outcome.kind === "stopped" && outcome.reason === "cancelled")) return undefined;
  call.isAsked = true;
  const { approval, decision } = pending;
  return { end: { ...call.facts(), status: "pending", approval, decision } };
}

interface ReadOptions {
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly parts: GateParts;
}

function readOutcome(parsed: ParsedCall, outcome: RunOutcome, options: ReadOptions): Step<unknown> {
  const { call, tool } = parsed;
  switch (outcome.kind) {
    case "returned": {
      const { value } = outcome;
      if (!isFailure(value)) return { value };
      const details = value.details === undefined ? {} : { details: JSON.parse(JSON.stringify(value.details)) };
      return { end: call.failed({ code: "tool_failed", toolCode: value.code, message: value.message, ...details }) };
    }
    case "threw":
      return { end: readThrown(parsed, outcome.error, options.parts) };
    case "stopped": {
      if (isLostAnswer(outcome.error, tool)) return { end: readThrown(parsed, outcome.error, options.parts) };
      if (outcome.ignoredSignal)
        options.parts.logger.log("warn", "A tool ignored its signal and was left behind.", { tool: tool.name, callId: call.id });
      if (outcome.reason === "cancelled") return { end: call.cancelled("The caller cancelled the call.") };
      const idle = outcome.reason === "idle_timeout";
      const limit = idle ? options.idleMs : (options.timeoutMs ?? defaultTimeoutMs);
      const what = idle ? `gave no sign of progress for ${limit} ms` : `did not end within ${limit} ms`;
      return {
        end: call.failed({
          code: outcome.reason,
          message: `Tool "${tool.name}" ${what} and was stopped. Ask for less at a time, or raise its limit.`,
        }),
      };
    }
  }
}

/** A known error was written to be read; any other may hold what nobody but the operator should see, so its text stays in the log. */
function readThrown({ call, tool }: ParsedCall, error: unknown, parts: GateParts): CallResult {
  if (isLostAnswer(error, tool))
    return { ...call.facts(), status: "unknown", error: call.redactor.redactError(toCallError(error, call.id)) };
  if (ToolwrightError.is(error)) return call.failed(toCallError(error, call.id));
  const whole = error instanceof Error ? (error.stack ?? error.message) : String(error);
  parts.logger.log("error", `Tool "${tool.name}" threw.`, { callId: call.id, error: call.redactor.redact(whole) });
  return call.failed({
    code: "tool_error",
    message: `Tool "${tool.name}" threw an error that it does not handle. The operator's log has it under ${call.id}.`,
  });
}

/** A request left and its answer did not come: whether it had its effect is unknown, unless doing it again is harmless. */
function isLostAnswer(error: unknown, tool: ParsedCall["tool"]): boolean {
  if (!ToolwrightError.is(error) || error.code !== "connection_failed" || tool.effects.idempotent === true) return false;
  const { details } = error;
  return typeof details === "object" && details !== null && "sent" in details && details.sent === true;
}
