import type { CallResult } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import { findWaiting } from "./approvals/approval-access.ts";
import { redeemApproval } from "./approvals/redeem-approval.ts";
import { bindingOf, describePending, requestApproval } from "./approvals/request-approval.ts";
import { Call, type NewCall, type ParsedCall, toCallError } from "./call.ts";
import { decideAttended, decideCall, heedCautions } from "./decide-call.ts";
import type { GateParts } from "./gate-parts.ts";
import { useGrants } from "./grants/use-grants.ts";
import { guardCall } from "./guard-call.ts";
import { prepareCall } from "./prepare-call.ts";
import { executeCall } from "./run/execute-call.ts";
import { runOnce } from "./run-once.ts";
import { ofJob } from "./sealed/sealed-inputs.ts";
import { findSuspended, resumeTree } from "./tree/resume-tree.ts";

export type CallRequest = NewCall & { readonly input: unknown };

/** The one path of every call: find, admit, parse, decide, approve, limit, run, project, record. Never rejects. */
export function passGate(request: CallRequest, parts: GateParts): Promise<CallResult> {
  const passed = guardCall(new Call(parts, request), parts, (call) => {
    const { sealedInput } = call.options;
    if (sealedInput === undefined) return passPrepared(call, request.input, parts);
    return parts.sealer.open(ofJob(call.principal, call.name), sealedInput).then(
      (input) => passPrepared(call, input, parts),
      (error: unknown) => call.failed(toCallError(error, call.id)),
    );
  });
  return Promise.resolve(passed);
}

function passPrepared(call: Call, input: unknown, parts: GateParts): CallResult | Promise<CallResult> {
  const prepared = prepareCall(call, input, parts);
  if (prepared.end) {
    // The call itself meets it again.
    call.isRecorded = call.options.preparation !== undefined;
    return prepared.end;
  }
  const run = () => runAnew(prepared.value, parts);
  if (call.options.idempotencyKey === undefined) return run();
  const once = () => runOnce(prepared.value, parts, run);
  return call.options.preparation?.again === false ? prepareAnew(prepared.value, parts, once) : once();
}

/** The key is for what a person is asked: a call that the policy allows runs without it. */
async function prepareAnew(parsed: ParsedCall, parts: GateParts, once: () => Promise<CallResult>): Promise<CallResult> {
  const { preparation } = parsed.call.options;
  const decision = await heedCautions(parsed, decideCall(parsed, parts), parts);
  return preparation && decision.effect === "allow" ? parsed.call.stopPrepared(preparation, decision) : once();
}

/** A call that repeats a suspended one goes on with that one. */
function runAnew(parsed: ParsedCall, parts: GateParts): CallResult | Promise<CallResult> {
  const { call, tool } = parsed;
  return call.options.takeUpWaiting && tool.effects.tools ? takeUpSuspended(parsed, parts) : runDecided(parsed, parts);
}

async function takeUpSuspended(parsed: ParsedCall, parts: GateParts): Promise<CallResult> {
  const { call } = parsed;
  const ref = await findSuspended(parsed, parts);
  const resumed = ref && (await resumeTree(ref, call.options, parts));
  if (!resumed) return runDecided(parsed, parts);
  call.isRecorded = true;
  return resumed;
}

/** Decides, and follows the decision. */
export function runDecided(parsed: ParsedCall, parts: GateParts): CallResult | Promise<CallResult> {
  const decision = heedCautions(parsed, decideCall(parsed, parts), parts);
  return decision instanceof Promise
    ? decision.then((heeded) => followDecision(parsed, heeded, parts))
    : followDecision(parsed, decision, parts);
}

function followDecision(parsed: ParsedCall, decision: Decision, parts: GateParts): CallResult | Promise<CallResult> {
  const { call } = parsed;
  switch (decision.effect) {
    case "deny":
      return call.principal.unattended ? runGranted(parsed, decision, parts) : call.denied(decision);
    case "allow":
      return executeCall(parsed, decision, parts);
    default:
      return approveCall(parsed, decision, parts);
  }
}

/** A repeated call may take up what it waits for; any other runs by a grant or asks. */
async function approveCall(parsed: ParsedCall, decision: Decision, parts: GateParts): Promise<CallResult> {
  const { call, tool } = parsed;
  const repeats = call.options.takeUpWaiting === true && { tool: tool.name, binding: (await bindingOf(parsed, decision, parts)).binding };
  const waiting = repeats ? await findWaiting(call.principal, repeats, parts) : undefined;
  if (waiting?.answer) return redeemApproval(call, waiting, parts);
  const granted = await useGrants(parsed, decision, parts);
  if (granted) return executeCall(granted.parsed, granted.decision, parts);
  return waiting ? describePending(call, waiting.record) : requestApproval(parsed, decision, parts);
}

/** Nobody is there to be asked: what would ask runs only by a grant, and a denial of any other kind stands. */
async function runGranted(parsed: ParsedCall, denial: Decision, parts: GateParts): Promise<CallResult> {
  const attended = await heedCautions(parsed, decideAttended(parsed, parts), parts, true);
  const granted = await useGrants(parsed, attended, parts);
  return granted ? executeCall(granted.parsed, granted.decision, parts) : parsed.call.denied(denial);
}
