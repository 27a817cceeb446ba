import type { CallResult } from "../../contract/call.ts";
import type { Decision } from "../../contract/decision.ts";
import { errorCodes, ToolwrightError } from "../../contract/errors.ts";
import type { CallEvent } from "../../contract/events.ts";
import type { Policy } from "../../policy/compile-policy.ts";
import { KeyTaken } from "../../ports/event-log.ts";
import type { IdempotencyClaim } from "../../ports/idempotency-store.ts";
import type { Reservation } from "../../ports/limiter.ts";
import { isFailure } from "../../tool/result.ts";
import { type Call, type ParsedCall, type Step, toCallError } from "../call.ts";
import { markForeignFailure } from "../foreign/foreign-content.ts";
import type { GateParts } from "../gate-parts.ts";
import { loggedInput, makeEvent, noteEvent, recordEvent } from "../record-events.ts";
import type { PartCalls } from "../tree/part-calls.ts";
import { makeContext, type Run } from "./make-context.ts";
import { projectOutput } from "./project-output.ts";
import { OutputFollower, type RunOutcome, RunSupervisor } from "./supervise-run.ts";

/** Limits, runs and projects a call that may run. A call that waits for nothing ends at once: promises are most of what a small call costs. */
export function executeCall(parsed: ParsedCall, decision: Decision, parts: GateParts): CallResult | Promise<CallResult> {
  const { preparation } = parsed.call.options;
  if (preparation) return parsed.call.stopPrepared(preparation, decision);
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

/** Executes a call after `tool.started` is logged. */
async function executeLogged(
  parsed: ParsedCall,
  decision: Decision,
  { limited, parts }: { readonly limited: ReturnType<typeof limitCall>; readonly parts: GateParts },
): Promise<CallResult> {
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
    return unlogged(call, error, parts);
  }
  call.started = true;
  return runAndProject(parsed, decision, parts);
}

function unlogged(call: Call, error: unknown, parts: GateParts): CallResult {
  parts.logger.log("error", "The event log cannot be written; the call did not run.", { callId: call.id, error: String(error) });
  const known = ToolwrightError.is(error) ? error : undefined;
  const message = `The event log could not be written, so the call did not run. ${known?.message ?? "The operator's log says why."}`;
  return call.failed({ code: "record_failed", message, ...(known && { details: { cause: known.code } }) });
}

/** True for a call that may begin by `claimAndStart`: it reserves nothing first, and goes on with none that waits. */
export function startsAtOnce({ call, tool }: ParsedCall, { events, idempotency }: GateParts): boolean {
  const { preparation, takeUpWaiting } = call.options;
  const isPlain = !preparation && !(takeUpWaiting && tool.effects.tools) && call.policy.ratesFor(tool.facts).length === 0;
  return isPlain && events.keys === idempotency;
}

/** Claims the key in the write that starts the call, and gives the rest of the call. Undefined where another call has the key. */
export async function claimAndStart(
  parsed: ParsedCall,
  decision: Decision,
  { claim, parts }: { readonly claim: IdempotencyClaim; readonly parts: GateParts },
): Promise<(() => CallResult | Promise<CallResult>) | undefined> {
  const { call } = parsed;
  try {
    await parts.events.append([makeEvent(call, "tool.started", startedData(parsed, decision), parts)], { key: { claim } });
  } catch (error) {
    return error instanceof KeyTaken ? undefined : () => unlogged(call, error, parts);
  }
  call.decision = decision;
  call.started = true;
  return () => runAndProject(parsed, decision, parts);
}

function runAndProject(parsed: ParsedCall, decision: Decision, parts: GateParts): CallResult | Promise<CallResult> {
  const project = (ran: Step<unknown>) =>
    ran.end ? markForeignFailure(parsed, ran.end, parts) : projectOutput(parsed, ran.value, decision, parts);
  parsed.call.options.onStart?.(parsed.call.id);
  const running = runTool(parsed, parts);
  return running instanceof Promise ? running.then(project) : project(running);
}

/** `idempotent`: whoever finds that the call was lost may run it again. */
function startedData({ call, tool }: ParsedCall, { effect, layer, rule, reason, revision }: Decision): CallEvent["data"] {
  const again = tool.hints.idempotentHint ? { idempotent: true } : {};
  return { effect, layer, rule, reason, revision, input: loggedInput(call.input), ...again };
}

/** What changes something is in the log before it happens, or does not happen (R-AU-1); so is what may happen once only. */
function mustBeLogged({ call, tool, approved }: ParsedCall): boolean {
  return tool.changes || approved || call.options.idempotencyKey !== undefined || call.tree?.isKept === true;
}

/** Gives back what was reserved, because the call did not run. */
type ReleaseReservations = () => Promise<void>;

const nothingToReserve: Step<ReleaseReservations> = { value: () => Promise.resolve() };

/** Reserves the rates of the policy that count against this tool. */
function limitCall(
  parsed: ParsedCall,
  decision: Decision,
  parts: GateParts,
): Step<ReleaseReservations> | Promise<Step<ReleaseReservations>> {
  const rates = parsed.call.policy.ratesFor(parsed.tool.facts);
  return rates.length === 0 ? nothingToReserve : reserveAll(parsed.call, { rates, decision, parts });
}

interface Reserving {
  readonly rates: ReturnType<Policy["ratesFor"]>;
  readonly decision: Decision;
  readonly parts: GateParts;
}

async function reserveAll(call: Call, { rates, decision, parts }: Reserving): Promise<Step<ReleaseReservations>> {
  const granted: Extract<Reservation, { granted: true }>[] = [];
  const release = async () => {
    for (const reservation of granted) await reservation.release();
  };
  const { tenant, agent, actor } = call.principal;
  for (const { key, rate, rule } of rates) {
    const subject = { tenant, key: `${agent ?? actor.id}/${key}` };
    const reservation = await parts.limiter.reserve(subject, rate, parts.clock.now());
    if (!reservation.granted) {
      await release();
      return {
        end: call.failed({
          code: "rate_limited",
          message: rateMessage(rule, reservation.retryAfterMs),
          details: { rule, retryAfterMs: reservation.retryAfterMs, revision: decision.revision },
        }),
      };
    }
    granted.push(reservation);
  }
  return { value: release };
}

function rateMessage(rule: string, retryAfterMs: number): string {
  return `The rate limit ${rule} is used up. Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s.`;
}

/** Milliseconds. */
export const defaultTimeoutMs = 300_000;

/** Runs the tool with the capabilities of its effects, within its time, and gives what it returned; at once when the tool does not wait. */
function runTool(parsed: ParsedCall, parts: GateParts): Step<unknown> | Promise<Step<unknown>> {
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
    const handler = () => tool.definition.run(input as never, context as never);
    const inside = () => (run.calls ? run.calls.awaitAll(handler) : handler());
    return call.span ? call.span.run(inside) : inside();
  };
  const outcome = supervisor.run(start, call.options.signal);
  return outcome instanceof Promise ? outcome.then(end) : end(outcome);
}

/** Milliseconds that earlier runs of the call used of its time limit. */
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

function readOutcome(
  parsed: ParsedCall,
  outcome: RunOutcome,
  options: { readonly timeoutMs?: number; readonly idleMs?: number; readonly parts: GateParts },
): Step<unknown> {
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
      if (isLostAnswer(outcome.error, tool) || isHandedOver(outcome.error))
        return { end: readThrown(parsed, outcome.error, options.parts) };
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

/**
 * A known error was written to be read; any other may hold what nobody but the operator should see, so its text stays in the log. A client of another
 * server throws codes that no door here has.
 */
function readThrown({ call, tool }: ParsedCall, error: unknown, parts: GateParts): CallResult {
  if (isLostAnswer(error, tool))
    return { ...call.facts(), status: "unknown", error: call.redactor.redactError(toCallError(error, call.id)) };
  if (ToolwrightError.is(error) && Object.hasOwn(errorCodes, error.code)) return call.failed(toCallError(error, call.id));
  const whole = error instanceof Error ? (error.stack ?? error.message) : String(error);
  parts.logger.log("error", `Tool "${tool.name}" threw.`, { callId: call.id, error: call.redactor.redact(whole) });
  return call.failed({
    code: "tool_error",
    message: `Tool "${tool.name}" threw an error that it does not handle. The operator's log has it under ${call.id}.`,
  });
}

/** What stopped it is that its process ends: it is not over. */
const isHandedOver = (error: unknown) => ToolwrightError.is(error) && error.code === "call_handed_over";

/** A request left and its answer did not come: whether it had its effect is unknown, unless doing it again is harmless. */
function isLostAnswer(error: unknown, tool: ParsedCall["tool"]): boolean {
  if (!ToolwrightError.is(error) || error.code !== "connection_failed" || tool.effects.idempotent === true) return false;
  const { details } = error;
  return typeof details === "object" && details !== null && "sent" in details && details.sent === true;
}
