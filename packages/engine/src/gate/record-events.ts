import type { CallError, CallResult } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { CallEvent, EventType } from "../contract/events.ts";
import { asJson, type Json } from "../contract/json.ts";
import type { AppendOptions } from "../ports/event-log.ts";
import type { Call } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { loggedOutputOf } from "./sealed/sealed-results.ts";

/**
 * Brings the ending into the log, with the key of `options`, and gives back the answer that may leave: of a call that did more than read, only once
 * the log holds how it ended, and the ending that the log holds. Never rejects.
 */
export function recordEnding(
  call: Call,
  result: CallResult,
  parts: GateParts,
  options: AppendOptions = {},
): CallResult | Promise<CallResult> {
  if (call.isRecorded) return result;
  const [type, data] = endingOf(result, call.input);
  if (!options.key && !didMoreThanRead(call)) {
    noteEvent(call, type, data, parts);
    return result;
  }
  return parts.events.append([makeEvent(call, type, data, parts)], options).then(
    () => result,
    (error: unknown) => {
      if (ToolwrightError.is(error) && error.code === "call_lost") return endedElsewhere(call, error);
      parts.logger.log("error", "An event could not be written.", { type, callId: call.id, error: String(error) });
      return unrecorded(result);
    },
  );
}

/** By what the call is and did, whichever door it came through. */
function didMoreThanRead({ tool, isAsked, options, posture, artifacts }: Call): boolean {
  return tool?.changes === true || isAsked || options.idempotencyKey !== undefined || posture !== undefined || artifacts.length > 0;
}

/** This process was taken for gone meanwhile: what it found out counts no more. */
function endedElsewhere(call: Call, { code, message }: ToolwrightError): CallResult {
  const error: CallError = { code, message };
  return { ...call.facts(), status: "unknown", error };
}

const notRecorded = {
  kind: "not_recorded",
  message: "The log could not be written when this call ended. It shows the ending when the store is back, or as unknown.",
} as const;

/** What was done is done; but whoever looks it up must know that the log may say less. */
function unrecorded(result: CallResult): CallResult {
  return { ...result, anomalies: [...result.anomalies, notRecorded] };
}

type Data = CallEvent["data"];

const mayWait = { mayWait: true };

/** Makes an event of the call. Data is redacted here, so nothing else needs to remember it. */
export function makeEvent(call: Call, type: EventType, data: Data, parts: Pick<GateParts, "clock">): CallEvent {
  const { tenant, actor, agent, door, source } = call.principal;
  const placed = call.place ? { ...data, place: asJson(call.place) } : data;
  const written = call.redactor.active ? (call.redactor.redactJson(placed as Json) as Data) : placed;
  const at = parts.clock.now();
  const { session, id: callId, name: tool } = call;
  return { type, at, session, tenant, actor, agent, door, source, callId, tool, data: written };
}

/** Writes an event and waits until it is in the log. */
export async function recordEvent(call: Call, type: EventType, data: Data, parts: GateParts): Promise<void> {
  await parts.events.append([makeEvent(call, type, data, parts)]);
}

/** Writes an event without waiting; a log that cannot be written is told to the operator. */
export function noteEvent(call: Call, type: EventType, data: Data, parts: GateParts): void {
  parts.events.append([makeEvent(call, type, data, parts)], mayWait).catch((error: unknown) => {
    // A call that was ended in the place of this process has its ending.
    const level = ToolwrightError.is(error) && error.code === "call_lost" ? "debug" : "error";
    parts.logger.log(level, "An event could not be written.", { type, callId: call.id, error: String(error) });
  });
}

/** With what the session had read first, where that is why a call asks. */
export function decisionData({ effect, layer, rule, reason, revision, findings, reliesOn }: Decision): Data {
  const foreign = findings.find((finding) => finding.foreign)?.foreign;
  return {
    effect,
    layer,
    rule,
    reason,
    revision,
    ...(reliesOn && { reliesOn: [...reliesOn] }),
    ...(foreign && { foreign: { ...foreign } }),
  };
}

/** The event that ends a call. One that did not start holds its input, so that every decision can be looked at again. */
export function endingOf(result: CallResult, input: unknown): readonly [EventType, Data] {
  const { durationMs, posture, anomalies, repairs, usage } = result;
  const facts: Data = {
    durationMs,
    posture: posture && asJson(posture),
    anomalies: anomalies.length > 0 ? asJson(anomalies) : undefined,
    repairs: repairs.length > 0 ? asJson(repairs) : undefined,
    usage: usage && asJson(usage),
  };
  switch (result.status) {
    case "done":
      return ["tool.completed", { ...facts, output: loggedCopy(loggedOutputOf(result)), truncations: result.truncations.length }];
    case "denied":
      return ["tool.denied", { ...facts, ...decisionData(result.decision), input: loggedInput(input ?? null) }];
    case "pending":
      return [
        "tool.needs_approval",
        {
          ...facts,
          ...decisionData(result.decision),
          approval: result.approval.id,
          summary: result.approval.summary,
          input: loggedInput(input ?? null),
        },
      ];
    case "cancelled":
      return ["tool.cancelled", { ...facts, reason: result.reason }];
    default:
      return ["tool.failed", { ...facts, outcome: result.status, error: asJson(result.error) }];
  }
}

/** Characters and members of an input or output that the log holds; the whole belongs to artifacts. */
const loggedLength = 4096;

/** A copy of a value as the log keeps it: what a tool or a caller does to theirs afterwards does not change the log. */
function loggedCopy(value: unknown, room = loggedLength): Json {
  const copy = copySmall(value, { room });
  if (copy !== tooLarge) return copy as Json;
  const text = JSON.stringify(value) ?? "null";
  return { truncated: true, head: text.slice(0, room), length: text.length };
}

/** Members of an input of which the log keeps each by itself. */
const mostMembers = 16;

/** Shortens an input for the log. Every member of a large input gets a share of the room, so a path stays beside the long text that is written to it. */
export function loggedInput(value: unknown): Json {
  const names = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  const copy = loggedCopy(value);
  if (!isCut(copy) || names.length < 2 || names.length > mostMembers) return copy;
  const share = Math.floor(loggedLength / names.length);
  const members = names.map((name) => [name, loggedCopy((value as Record<string, unknown>)[name], share)] as const);
  return Object.fromEntries(members);
}

/** True for what stands in the log in the place of something too large. */
export function isCut(logged: unknown): logged is { readonly truncated: true; readonly head: string; readonly length: number } {
  return (
    typeof logged === "object" &&
    logged !== null &&
    "truncated" in logged &&
    logged.truncated === true &&
    "head" in logged &&
    "length" in logged
  );
}

const tooLarge = Symbol("too large");

/** Copies JSON while there is room: one walk, cheaper than writing and reading it as text. */
function copySmall(value: unknown, budget: { room: number }): unknown {
  budget.room -= typeof value === "string" ? value.length + 1 : 1;
  if (budget.room < 0) return tooLarge;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => copySmall(item, budget));
    return budget.room < 0 ? tooLarge : items;
  }
  const members: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    budget.room -= key.length;
    const copy = copySmall((value as Record<string, unknown>)[key], budget);
    if (budget.room < 0) return tooLarge;
    if (key === "__proto__") Object.defineProperty(members, key, { value: copy, enumerable: true, configurable: true, writable: true });
    else members[key] = copy;
  }
  return members;
}
