import type { PendingResult } from "../../contract/call.ts";
import type { ApprovalRecord } from "../../ports/approval-store.ts";
import type { Call } from "../call.ts";

/** The answer to a call that waits for this approval. */
export function describePending(call: Call, { id, summary, decision, expiresAt }: ApprovalRecord): PendingResult {
  call.isAsked = true;
  return { ...call.facts(), status: "pending", approval: { id, summary, reason: decision.reason, expiresAt }, decision };
}
