import type { CallResult } from "../../contract/call.ts";
import type { Decision, Finding } from "../../contract/decision.ts";
import { strictest } from "../../contract/decision.ts";
import type { ForeignKind } from "../../contract/foreign.ts";
import type { MachineFacts, ToolFacts } from "../../policy/compile-policy.ts";
import type { CapabilityProvider } from "../../ports/capability.ts";
import { Call, type ParsedCall } from "../call.ts";
import { decideCall, heedCautions } from "../decide-call.ts";
import { refusalsOf } from "../explain-call.ts";
import { markElsewhere } from "../foreign/foreign-content.ts";
import type { CallRequest } from "../gate.ts";
import type { GateParts } from "../gate-parts.ts";
import { guardCall } from "../guard-call.ts";
import type { Preparation } from "../invoke-options.ts";
import { prepareCall } from "../prepare-call.ts";
import { decisionData, loggedInput, recordEvent } from "../record-events.ts";

export interface JudgeOptions {
  /** Id of the call where it runs; what is said of it later has the same. */
  readonly callId: string;
  /** What is known of a tool that is not in the catalogue. Without it, a name that is not there is denied. */
  readonly facts?: ToolFacts;
  /** Those of the place where it runs: its folder is the workspace of this decision. */
  readonly capabilities?: readonly CapabilityProvider[];
  /** Said in each event: how the program that runs it calls the tool. */
  readonly as?: string;
}

/** What the gate says of a call that runs elsewhere. */
export type Judgement =
  | { readonly effect: "allow" | "ask" | "deny"; readonly decision: Decision }
  /** The call never came as far as a decision. */
  | { readonly effect: "deny"; readonly decision?: undefined; readonly message: string };

/** Nothing of ours runs it, so nothing that our sandbox lacks stands in its way. */
const noneOfOurs: MachineFacts = { sandbox: { available: true, detail: "the call runs elsewhere", contains: [] }, elsewhere: true };

/**
 * Finds, admits, parses and decides, and leaves the run to whoever asks. An allowed call is in the log as started; one that asks waits for a
 * person there, and no approval of ours is made. Never rejects.
 */
export async function judgeElsewhere(
  request: Omit<CallRequest, "id" | "options">,
  { callId, facts, capabilities, as }: JudgeOptions,
  given: GateParts,
): Promise<Judgement> {
  const parts: GateParts = { ...given, machine: () => noneOfOurs };
  const preparation: Preparation = { again: false };
  const options = { preparation, ...(capabilities && { capabilities }) };
  const call = new Call(parts, { ...request, id: callId, options });
  const decide = facts ? () => judgeUnknown(call, facts, request.input) : () => judgeKnown(call, request.input, parts);
  const result = await guardCall(call, parts, async () => {
    const judged = await decide();
    if (!("effect" in judged)) return judged;
    if (judged.effect === "deny") return call.denied(judged);
    await record(call, judged, as, parts);
    return call.stopPrepared(preparation, judged);
  });
  if (preparation.decision) return { effect: preparation.decision.effect, decision: preparation.decision };
  if (result.status === "denied") return { effect: "deny", decision: result.decision };
  return { effect: "deny", message: result.status === "failed" ? result.error.message : "The call could not be judged." };
}

async function judgeKnown(call: Call, input: unknown, parts: GateParts): Promise<Decision | CallResult> {
  const prepared = prepareCall(call, input, parts);
  if (prepared.end) return prepared.end;
  const decision = await heedCautions(prepared.value, decideCall(prepared.value, parts), parts);
  return decision.effect === "deny" ? decision : refuse(decision, prepared.value);
}

/** A path that no tool of ours could open is refused where it is judged. */
async function refuse(decision: Decision, parsed: ParsedCall): Promise<Decision> {
  const findings = (await refusalsOf(parsed)).map(
    (reason): Finding => ({
      effect: "deny",
      layer: "resource",
      rule: "default.paths.outside",
      reason,
      remedy: "Name a path inside the folder that the call works in.",
    }),
  );
  return findings.length === 0 ? decision : strictest([...findings, ...decision.findings], decision.revision);
}

/** By what the policy says of any tool with these effects, and of this name. */
async function judgeUnknown(call: Call, facts: ToolFacts, input: unknown): Promise<Decision> {
  call.input = input;
  return call.policy.decide(facts, [], noneOfOurs, call.principal);
}

/** Where the log cannot be written the caller does not go on. */
function record(call: Call, decision: Decision, as: string | undefined, parts: GateParts): Promise<void> {
  const type = decision.effect === "allow" ? "tool.started" : "tool.needs_approval";
  const data = { ...decisionData(decision), elsewhere: true, ...(as !== undefined && { as }), input: loggedInput(call.input ?? null) };
  return recordEvent(call, type, data, parts);
}

/** How a call that ran elsewhere ended. */
export interface ElsewhereEnding {
  readonly callId: string;
  readonly as?: string;
  /** Without one the call succeeded. */
  readonly error?: string;
  readonly output?: unknown;
  /** That the call was made with. A tool of ours says by it what the call reached. */
  readonly input?: unknown;
  /** What a tool that we do not have is known to read. */
  readonly brings?: ForeignKind;
}

/**
 * Writes down how a call that ran elsewhere ended; what it gave stays there but for a beginning. Its session is marked where it read foreign content.
 * Never rejects.
 */
export async function noteElsewhere(
  request: Omit<CallRequest, "id" | "options" | "input">,
  { callId: id, as, error, output, input, brings }: ElsewhereEnding,
  parts: GateParts,
): Promise<void> {
  const call = new Call(parts, { ...request, id, options: { preparation: { again: false } } });
  const about = { elsewhere: true, ...(as !== undefined && { as }) };
  await guardCall(call, parts, async () => {
    // First, so that nothing that is written holds a sensitive member of the input.
    const prepared = input === undefined ? undefined : prepareCall(call, input, parts);
    const sensitive = parts.snapshot(request.principal.tenant).find(request.name)?.output.sensitive;
    const logged = loggedInput(sensitive?.hide(output) ?? output ?? null);
    const failure = { code: "tool_failed", message: call.redactor.redact(error ?? "").slice(0, 2000) };
    if (error === undefined) await recordEvent(call, "tool.completed", { ...about, output: logged }, parts);
    else await recordEvent(call, "tool.failed", { ...about, outcome: "failed", error: failure }, parts);
    call.isRecorded = true;
    await markElsewhere(call, { parsed: prepared && !prepared.end ? prepared.value : undefined, brings, as }, parts);
    return call.cancelled("The call ran elsewhere.");
  });
}
