import type { CallResult } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import type { ApprovalAnswer, ApprovalBinding, StoredApproval } from "../ports/approval-store.ts";
import { findApproval } from "./answer-approval.ts";
import { Call } from "./call.ts";
import { decideCall } from "./decide-call.ts";
import { executeCall, guard, prepareCall } from "./gate.ts";
import type { GateParts } from "./gate-parts.ts";
import type { InvokeOptions } from "./invoke-options.ts";
import { noteEvent } from "./record-events.ts";
import { bindingOf, pendingResult } from "./request-approval.ts";

export interface ResumeRequest {
  readonly principal: Principal;
  readonly session: string;
  readonly approvalId: string;
  readonly options: InvokeOptions;
}

/** Runs the call that an approval was given for: once, as the one who asked, and only if nothing it is bound to has changed. Never rejects. */
export async function resumeCall(request: ResumeRequest, parts: GateParts): Promise<CallResult> {
  const { principal, session, approvalId, options } = request;
  const unknown = new Call(parts, { id: parts.ids.next("call"), principal, session, name: "unknown", options });
  let stored: StoredApproval | undefined;
  try {
    stored = await findApproval(principal, approvalId, parts);
  } catch (error) {
    parts.logger.log("error", "The approval store could not be read.", { error: String(error) });
    return unknown.failed({ code: "internal", message: `Approval ${approvalId} could not be read. Try again.` });
  }
  if (!stored) return unknown.failed({ code: "approval_not_found", message: `There is no approval ${approvalId} here.` });
  const { record } = stored;
  const call = new Call(parts, { id: record.callId, principal: record.principal, session: record.session, name: record.tool, options });
  return guard(call, parts, () => redeem(call, stored, parts));
}

async function redeem(call: Call, stored: StoredApproval, parts: GateParts): Promise<CallResult> {
  const { record, answer } = stored;
  if (stored.claimedAt !== undefined) return used(call, record.id);
  if (parts.clock.now() >= record.expiresAt)
    return call.failed({ code: "approval_expired", message: `Approval ${record.id} expired. Make the call again.` });
  if (!answer) return pendingResult(call, record);
  const { outcome } = answer;
  if (outcome.kind === "deny") return refusedByPerson(call, stored, outcome.message ?? "A person denied this call.");
  if (outcome.kind === "respond") return refusedByPerson(call, stored, outcome.message);
  const prepared = prepareCall(call, outcome.kind === "edit" ? outcome.input : record.input, parts);
  if (prepared.end) return prepared.end;
  const drift = findDrift(record.binding, bindingOf(prepared.value, parts), outcome.kind === "edit");
  if (drift)
    return call.failed({
      code: "approval_void",
      message: `Approval ${record.id} is void: ${drift} changed since it was asked for. Make the call again.`,
    });
  const decision = decideCall(prepared.value, parts);
  if (decision.effect === "deny") return call.denied(decision);
  if (!(await parts.approvals.claim(record.principal.tenant, record.id, parts.clock.now()))) return used(call, record.id);
  noteEvent(call, "tool.approved", { approval: record.id, by: { ...answer.by }, edited: outcome.kind === "edit" }, parts);
  return executeCall({ ...prepared.value, approved: true }, approvedDecision(decision, answer), parts);
}

function used(call: Call, id: string): CallResult {
  return call.failed({
    code: "approval_used",
    message: `Approval ${id} was used before; each one runs once. Make the call again to ask again.`,
  });
}

/** The first thing that differs, in words. An edited input is a person's own and is not compared. */
function findDrift(bound: ApprovalBinding, now: ApprovalBinding, edited: boolean): string | undefined {
  if (bound.definition !== now.definition) return "the tool's definition";
  if (bound.policyRevision !== now.policyRevision) return "the policy";
  if (bound.secrets !== now.secrets) return "a secret of the tool";
  if (!edited && bound.input !== now.input) return "the input";
  return undefined;
}

function refusedByPerson(call: Call, { record, answer }: StoredApproval, message: string): CallResult {
  const rule = answer?.outcome.kind === "respond" ? "approval.respond" : "approval.deny";
  const finding = { effect: "deny" as const, layer: "tool" as const, rule, reason: message };
  return call.denied({ ...finding, revision: record.decision.revision, findings: [finding] }, message);
}

function approvedDecision(decision: Decision, answer: ApprovalAnswer): Decision {
  const reason = `Approved by ${answer.by.kind} "${answer.by.id}".`;
  return { ...decision, effect: "allow", rule: `approval.${answer.outcome.kind}`, reason };
}
