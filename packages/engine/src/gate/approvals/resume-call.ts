import type { CallResult } from "../../contract/call.ts";
import type { Principal } from "../../contract/principal.ts";
import type { ApprovalRecord, StoredApproval } from "../../ports/approval-store.ts";
import { Call } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { guardCall, refuseTenant } from "../guard-call.ts";
import type { GateOptions } from "../invoke-options.ts";
import { keepEnding } from "../keep-ending.ts";
import { resumeTree } from "../tree/resume-tree.ts";
import { approvalNotFound, findApproval, isRequester, maySee } from "./approval-access.ts";
import { redeemApproval } from "./redeem-approval.ts";

interface ResumeRequest {
  /** True where the caller means the approved call itself, and none that waits for it. */
  readonly isOwn?: boolean;
  readonly principal: Principal;
  readonly session: string;
  readonly approvalId: string;
  readonly options: GateOptions;
}

/** Runs the call that an approval was given for, as the one who asked; where another call waits for that one, goes on with that. Never rejects. */
export async function resumeCall(request: ResumeRequest, parts: GateParts): Promise<CallResult> {
  const { principal, session, approvalId, options } = request;
  const unknown = new Call(parts, { id: parts.ids.next("call"), principal, session, name: "unknown", options });
  let stored: StoredApproval | undefined;
  try {
    const refused = await refuseTenant(unknown, parts);
    if (refused) return refused;
    stored = await findApproval(principal, approvalId, parts);
  } catch (error) {
    parts.logger.log("error", "The approval store could not be read.", { error: String(error) });
    return unknown.failed({ code: "internal", message: `Approval ${approvalId} could not be read. Try again.` });
  }
  if (!stored) return unknown.failed({ code: "approval_not_found", message: approvalNotFound(approvalId).message });
  const { record } = stored;
  if (record.place && options.preparation) return unknown.stopPrepared(options.preparation, record.decision);
  const waiting = request.isOwn || options.preparation ? undefined : await findRoot(principal, approvalId, parts);
  const root = waiting ?? record.place?.root;
  if (root !== undefined) return resumeRoot(unknown, { record, root }, parts);
  // Whoever asked resumes with the permissions of today; for another the record is all there is.
  const { permissions, delegated } = principal;
  const asker = isRequester(principal, record) ? { ...record.principal, permissions, ...(delegated && { delegated }) } : record.principal;
  const call = new Call(parts, { id: record.callId, principal: asker, session: record.session, name: record.tool, options });
  // It may have come with an idempotency key, which then holds how it ends.
  return guardCall(call, parts, () => keepEnding(call, parts, { run: () => redeemApproval(call, stored, parts), frees: false }));
}

/** A call that keeps a record of its own and waits for the approval: that of the one who asks, else the outermost. */
async function findRoot(principal: Principal, approvalId: string, parts: GateParts): Promise<string | undefined> {
  const waiting = await parts.callTree.waitingFor(principal.tenant, { kind: "approval", id: approvalId }, parts.clock.now());
  const seen = waiting.filter(({ call }) => maySee(principal, call));
  const found = seen.findLast(({ call }) => isRequester(principal, call)) ?? seen.at(-1);
  return found?.call.callId;
}

/** Resumes a call inside another one: the root of its tree goes on. */
async function resumeRoot(
  unknown: Call,
  { record, root }: { record: ApprovalRecord; root: string },
  parts: GateParts,
): Promise<CallResult> {
  try {
    const resumed = await resumeTree({ tenant: record.principal.tenant, callId: root }, unknown.options, parts);
    if (resumed) return resumed;
  } catch (error) {
    parts.logger.log("error", "A suspended call could not be read.", { callId: root, error: String(error) });
    return unknown.failed({ code: "internal", message: `The call of approval ${record.id} could not be read. Try again.` });
  }
  const message = `Approval ${record.id} is void: the call that it belongs to has ended. Make the call again.`;
  return unknown.failed({ code: "approval_void", message });
}
