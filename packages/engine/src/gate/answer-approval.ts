import { ToolwrightError } from "../contract/errors.ts";
import { canonicalJson } from "../contract/json.ts";
import { ANSWER_APPROVALS, type Principal } from "../contract/principal.ts";
import type { ApprovalOutcome, ApprovalRecord, StoredApproval } from "../ports/approval-store.ts";
import type { GateParts } from "./gate-parts.ts";

/** Only a person whom a door can reach now may answer: never an agent, a service, or a tool's result (R-AP-6). */
export function mayAnswer(principal: Principal, record: ApprovalRecord): boolean {
  if (principal.actor.kind !== "user" || principal.interactive !== true) return false;
  return isRequester(principal, record) || principal.permissions.includes(ANSWER_APPROVALS);
}

/** The one that waits, and whoever may answer, may see it and resume it. */
export function maySee(principal: Principal, record: ApprovalRecord): boolean {
  return isRequester(principal, record) || mayAnswer(principal, record);
}

/** The same actor for the same agent of the same tenant. */
export function isRequester(principal: Principal, record: ApprovalRecord): boolean {
  const { actor, agent, tenant } = record.principal;
  return principal.tenant === tenant && principal.actor.kind === actor.kind && principal.actor.id === actor.id && principal.agent === agent;
}

/** An approval that the principal may see; a foreign one answers as a missing one. */
export async function findApproval(principal: Principal, id: string, parts: GateParts): Promise<StoredApproval | undefined> {
  const stored = await parts.approvals.get(principal.tenant, id);
  return stored && maySee(principal, stored.record) ? stored : undefined;
}

/** The oldest approval that the same principal waits for with the very same call, and that was not used yet. */
export async function findWaiting(
  principal: Principal,
  { tool, binding }: Pick<ApprovalRecord, "tool" | "binding">,
  parts: GateParts,
): Promise<StoredApproval | undefined> {
  const bound = canonicalJson(binding);
  const usable = await parts.approvals.list(principal.tenant, { usableAt: parts.clock.now() });
  return usable.find(({ record }) => record.tool === tool && isRequester(principal, record) && canonicalJson(record.binding) === bound);
}

export async function answerApproval(
  principal: Principal,
  id: string,
  answer: { outcome: ApprovalOutcome; parts: GateParts },
): Promise<void> {
  const { outcome, parts } = answer;
  const stored = await findApproval(principal, id, parts);
  if (!stored) throw new ToolwrightError("approval_not_found", `There is no approval ${id} here.`);
  if (!mayAnswer(principal, stored.record)) {
    throw new ToolwrightError(
      "approval_not_allowed",
      `Approval ${id} waits for a person. Agents, services and runs without a person cannot answer it.`,
    );
  }
  const at = parts.clock.now();
  if (at >= stored.record.expiresAt) throw new ToolwrightError("approval_expired", `Approval ${id} expired. Make the call again.`);
  const answered = await parts.approvals.answer(principal.tenant, id, { outcome, by: principal.actor, at });
  if (!answered) throw new ToolwrightError("approval_already_answered", `Approval ${id} was answered before.`);
}
