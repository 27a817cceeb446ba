import { ToolwrightError } from "../../contract/errors.ts";
import { canonicalJson } from "../../contract/json.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { lineageOf } from "../../policy/ceiling/ceiling.ts";
import { type ApprovalAnswer, type ApprovalRecord, isSameActor, type StoredApproval } from "../../ports/approval-store.ts";
import type { GateParts } from "../gate-parts.ts";

/** Only a person whom a door can reach now may answer: never an agent, a service, or a tool's result (R-AP-6). */
export function isPerson({ actor, interactive, delegated }: Principal): boolean {
  return actor.kind === "user" && interactive === true && delegated === undefined;
}

/** Whoever asked, the person in whose conversation it was asked, and whoever may answer for others. */
export function mayAnswer(principal: Principal, record: Asked): boolean {
  if (!isPerson(principal)) return false;
  return isRequester(principal, record) || isPersonOf(principal, record) || principal.permissions.includes(ANSWER_APPROVALS);
}

/** What is asked for, as far as it matters who may see it. */
export type Asked = Pick<ApprovalRecord, "principal">;

/** True for the person in whose conversation the agent that asked acts. */
export function isPersonOf({ tenant, actor }: Principal, { principal: asker }: Asked): boolean {
  return actor.kind === "user" && asker.tenant === tenant && asker.onBehalfOf === actor.id;
}

/** The one that waits, and whoever may answer, may see it and resume it. */
export function maySee(principal: Principal, record: Asked): boolean {
  return isRequester(principal, record) || mayAnswer(principal, record);
}

/** The same actor for the same agent and person of the same tenant, with the same bounds: a sub-agent takes up nothing of its parent. */
export function isRequester(principal: Principal, record: Asked): boolean {
  const { actor, agent, tenant, onBehalfOf } = record.principal;
  const isNamedSo = principal.tenant === tenant && isSameActor(principal.actor, actor) && principal.agent === agent;
  return (
    isNamedSo && principal.onBehalfOf === onBehalfOf && canonicalJson(lineageOf(principal)) === canonicalJson(lineageOf(record.principal))
  );
}

/** An approval that the principal may see, or that a call of its own waits for; a foreign one answers as a missing one. */
export async function findApproval(principal: Principal, id: string, parts: GateParts): Promise<StoredApproval | undefined> {
  const stored = await parts.approvals.get(principal.tenant, id);
  if (!stored || maySee(principal, stored.record)) return stored;
  const waiting = await parts.callTree.waitingFor(principal.tenant, { kind: "approval", id }, parts.clock.now());
  return waiting.some(({ call }) => isRequester(principal, call)) ? stored : undefined;
}

/** The error of an approval that there is not, or that the principal may not see. */
export function approvalNotFound(id: string): ToolwrightError {
  const message = `There is no approval ${JSON.stringify(id)}. See the open ones with: toolwright approvals list`;
  return new ToolwrightError("approval_not_found", message);
}

/** The oldest approval that the same principal waits for with the very same call, and that was not used yet. One inside another call is that one's. */
export async function findWaiting(
  principal: Principal,
  { tool, binding }: Pick<ApprovalRecord, "tool" | "binding">,
  parts: GateParts,
): Promise<StoredApproval | undefined> {
  const bound = canonicalJson(binding);
  const usable = await parts.approvals.list(principal.tenant, { usableAt: parts.clock.now() });
  return usable.find(
    ({ record }) =>
      record.tool === tool && record.place === undefined && isRequester(principal, record) && canonicalJson(record.binding) === bound,
  );
}

/** An approval that the principal may see, as it is shown. */
export async function findShown(principal: Principal, id: string, parts: GateParts): Promise<StoredApproval | undefined> {
  const stored = await findApproval(principal, id, parts);
  return stored && withoutSealed(stored);
}

/** Open approvals that the principal may see, as they are shown, oldest first. */
export async function listShown(principal: Principal, { approvals, clock }: GateParts): Promise<readonly StoredApproval[]> {
  const open = await approvals.list(principal.tenant, { openAt: clock.now() });
  return open.filter(({ record }) => maySee(principal, record)).map(withoutSealed);
}

/** The approval as people and programs see it: what is sealed is the engine's. */
function withoutSealed({ record, answer, ...stored }: StoredApproval): StoredApproval {
  const { sealed: _, ...shown } = record;
  return { ...stored, record: shown, ...(answer && { answer: withoutSealedOutcome(answer) }) };
}

function withoutSealedOutcome(answer: ApprovalAnswer): ApprovalAnswer {
  if (answer.outcome.kind !== "edit") return answer;
  return { ...answer, outcome: { kind: "edit", input: answer.outcome.input } };
}
