import type { CallResult } from "../contract/call.ts";
import { findWaiting } from "./answer-approval.ts";
import { Call, type ParsedCall } from "./call.ts";
import { decideCall } from "./decide-call.ts";
import { executeCall } from "./execute-call.ts";
import type { GateParts } from "./gate-parts.ts";
import { guardCall } from "./guard-call.ts";
import { prepareCall } from "./prepare-call.ts";
import { redeemApproval } from "./redeem-approval.ts";
import { bindingOf, requestApproval } from "./request-approval.ts";

export type CallRequest = ConstructorParameters<typeof Call>[1] & { readonly input: unknown };

/** The one path of every call: find, admit, parse, decide, approve, limit, run, project, record. Never rejects. */
export function passGate(request: CallRequest, parts: GateParts): Promise<CallResult> {
  return guardCall(new Call(parts, request), parts, async (call) => {
    const prepared = prepareCall(call, request.input, parts);
    if (prepared.end) return prepared.end;
    const decision = decideCall(prepared.value, parts);
    if (decision.effect === "deny") return call.denied(decision);
    if (decision.effect === "allow") return executeCall(prepared.value, decision, parts);
    const waiting = call.options.takeUpWaiting ? await findWaitingFor(prepared.value, parts) : undefined;
    return waiting ? redeemApproval(call, waiting, parts) : requestApproval(prepared.value, decision, parts);
  });
}

function findWaitingFor(parsed: ParsedCall, parts: GateParts) {
  return findWaiting(parsed.call.principal, { tool: parsed.tool.name, binding: bindingOf(parsed, parts) }, parts);
}
