import type { CallResult } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import { digest } from "../contract/digest.ts";
import type { Json } from "../contract/json.ts";
import type { ApprovalBinding, ApprovalRecord } from "../ports/approval-store.ts";
import type { ParsedCall } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

/** Characters of the input that a summary shows. */
const summaryLength = 300;

/** What an approval of this call is bound to: when any of it differs later, the approval is void. */
export function bindingOf({ call, tool, input }: ParsedCall, parts: Pick<GateParts, "secrets">): ApprovalBinding {
  const { tenant } = call.principal;
  const secrets = (tool.effects.secrets ?? []).map((name) => [name, parts.secrets.generation(tenant, name)]);
  return { input: digest(input), definition: tool.hash, policyRevision: call.policy.revision, secrets: digest(secrets) };
}

/** Turns `ask` into a durable record and ends the call as pending. */
export async function requestApproval(parsed: ParsedCall, decision: Decision, parts: GateParts): Promise<CallResult> {
  const { call, tool, input } = parsed;
  const now = parts.clock.now();
  const record: ApprovalRecord = {
    id: parts.ids.next("apr"),
    callId: call.id,
    tool: tool.name,
    principal: call.principal,
    session: call.session,
    input: input as Json,
    binding: bindingOf(parsed, parts),
    decision,
    summary: summarise(tool.title, input),
    createdAt: now,
    expiresAt: now + parts.approvalTtlMs,
  };
  await parts.approvals.create(record);
  return pendingResult(parsed.call, record);
}

/** The answer to a call that waits. */
export function pendingResult(call: ParsedCall["call"], record: ApprovalRecord): CallResult {
  const { id, summary, decision, expiresAt } = record;
  return { ...call.facts(), status: "pending", approval: { id, summary, reason: decision.reason, expiresAt }, decision };
}

function summarise(title: string, input: unknown): string {
  const text = JSON.stringify(input);
  return `${title}: ${text.length <= summaryLength ? text : `${text.slice(0, summaryLength)}... (${text.length} characters in all)`}`;
}
