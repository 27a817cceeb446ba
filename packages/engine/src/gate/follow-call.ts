import type { CallResult } from "../contract/call.ts";
import { digest } from "../contract/digest.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { Principal } from "../contract/principal.ts";
import type { StoredApproval } from "../ports/approval-store.ts";
import { type KeptCall, keyKeptMs } from "../ports/idempotency-store.ts";
import { resumeCall } from "./approvals/resume-call.ts";
import { Call } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import type { InvokeOptions } from "./invoke-options.ts";
import { recordEnding } from "./record-events.ts";
import { idempotencyKeyOf } from "./run-once.ts";
import { cancelTree } from "./tree/cancel-tree.ts";

/** A call that its caller left, as it stands when the caller asks. */
export interface FollowedCall extends KeptCall {
  /** What it waits for; absent while it runs, and when it has ended. */
  readonly approval?: StoredApproval;
}

/** Whose call it is, and the key that the caller has for it. */
interface FollowKey {
  readonly principal: Principal;
  readonly session: string;
  readonly key: string;
}

/** Claims a key for a call that runs or waits. `kept` resolves when the ending is kept under it. */
export async function followCall(
  { principal, key }: FollowKey,
  following: { readonly callId: string; readonly ending: CallResult | Promise<CallResult> },
  parts: GateParts,
): Promise<{ readonly kept: Promise<CallResult> }> {
  const { tenant } = principal;
  const { ending } = following;
  const callId = ending instanceof Promise ? following.callId : await callThatWaits(ending, principal, parts);
  const at = parts.clock.now();
  const claim = { tenant, key: idempotencyKeyOf(principal, key), fingerprint: digest(callId), callId, at, isFollowed: true };
  await parts.idempotency.claim({ ...claim, expiresAt: at + keyKeptMs + parts.approvalTtlMs });
  const keep = (result: CallResult) => parts.idempotency.settle({ tenant, callId }, result, parts.clock.now());
  if (!(ending instanceof Promise)) return { kept: Promise.resolve(await keep(ending)) };
  const kept = ending.then(keep).catch((error: unknown) => {
    parts.logger.log("error", "How a followed call ended could not be kept.", { callId, error: String(error) });
    return ending;
  });
  return { kept };
}

/** A call that repeats one which waits has taken up that one's approval: the answer runs that one. */
async function callThatWaits(result: CallResult, { tenant }: Principal, parts: GateParts): Promise<string> {
  const stored = result.status === "pending" ? await parts.approvals.get(tenant, result.approval.id) : undefined;
  return stored?.record.place?.root ?? stored?.record.callId ?? result.callId;
}

/** Undefined for a key that this principal has for no call, or whose time is over. */
export async function findFollowed({ principal, key }: FollowKey, parts: GateParts): Promise<FollowedCall | undefined> {
  const kept = await parts.idempotency.find(principal.tenant, idempotencyKeyOf(principal, key));
  if (!kept || (kept.result && kept.expiresAt <= parts.clock.now())) return undefined;
  if (kept.result?.status !== "pending") return kept;
  const approval = await parts.approvals.get(principal.tenant, kept.result.approval.id);
  return { ...kept, ...(approval && { approval }) };
}

/** Runs a followed call that waited and was answered, and keeps how it ended also where it did not start. Never rejects. */
export async function resumeFollowed(
  { principal, session }: Omit<FollowKey, "key">,
  { followed, options }: { readonly followed: FollowedCall; readonly options: InvokeOptions },
  parts: GateParts,
): Promise<CallResult> {
  const { callId, result: before } = followed;
  const approvalId = before?.status === "pending" ? before.approval.id : "";
  const result = await resumeCall({ principal, session, approvalId, options }, parts);
  if (!isFinal(result)) return result;
  try {
    return await parts.idempotency.settle({ tenant: principal.tenant, callId }, result, parts.clock.now());
  } catch (error) {
    parts.logger.log("error", "How a followed call ended could not be kept.", { callId, error: String(error) });
    return result;
  }
}

/** Not of one that another run took up, and not of a look that failed: those say nothing of how the call ends. */
function isFinal(result: CallResult): boolean {
  if (result.status === "pending") return false;
  return result.status !== "failed" || (result.error.code !== "approval_used" && result.error.code !== "internal");
}

/** Cancels a followed call that waits for a person, and denies its approval. One that runs or has ended stays as it is. Rejects with `call_not_found`. */
export async function withdrawCall({ principal, session, key }: FollowKey, reason: string, parts: GateParts): Promise<void> {
  const { tenant, actor } = principal;
  const found = await findFollowed({ principal, session, key }, parts);
  if (!found) throw new ToolwrightError("call_not_found", "There is no followed call under this key here.");
  if (!found.approval) return;
  const { id, place, tool, principal: asker, session: asked } = found.approval.record;
  if (place) {
    await cancelTree(principal, found.callId, { reason, parts });
    return;
  }
  const at = parts.clock.now();
  await parts.approvals.answer(tenant, id, { outcome: { kind: "deny", message: reason }, by: actor, at });
  if (!(await parts.approvals.claim(tenant, id, at))) return;
  const call = new Call(parts, { id: found.callId, principal: asker, session: asked, name: tool, options: {} });
  call.isAsked = true;
  const settled = await parts.idempotency.settle({ tenant, callId: call.id }, call.cancelled(reason), at);
  await recordEnding(call, settled, parts);
}
