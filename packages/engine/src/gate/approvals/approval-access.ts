import { canonicalJson } from "../../contract/json.ts";
import { ANSWER_APPROVALS, type Principal } from "../../contract/principal.ts";
import { lineageOf } from "../../policy/ceiling/ceiling.ts";
import { type ApprovalRecord, isSameActor, type StoredApproval } from "../../ports/approval-store.ts";
import type { GateParts } from "../gate-parts.ts";

/** Only a person whom a door can reach now may answer: never an agent, a service, or a tool's result (R-AP-6). */
export function isPerson({ actor, interactive, delegated }: Principal): boolean {
  return actor.kind === "user" && interactive === true && delegated === undefined;
}

export function mayAnswer(principal: Principal, record: ApprovalRecord): boolean {
  if (!isPerson(principal)) return false;
  return isRequester(principal, record) || principal.permissions.includes(ANSWER_APPROVALS);
}

/** The one that waits, and whoever may answer, may see it and resume it. */
export function maySee(principal: Principal, record: ApprovalRecord): boolean {
  return isRequester(principal, record) || mayAnswer(principal, record);
}

/** The same actor for the same agent of the same tenant, with the same bounds: a sub-agent takes up nothing of its parent. */
export function isRequester(principal: Principal, record: ApprovalRecord): boolean {
  const { actor, agent, tenant } = record.principal;
  const isNamedSo = principal.tenant === tenant && isSameActor(principal.actor, actor) && principal.agent === agent;
  return isNamedSo && canonicalJson(lineageOf(principal)) === canonicalJson(lineageOf(record.principal));
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
