import { ToolwrightError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import type { Principal } from "../../contract/principal.ts";
import { type ApprovalOutcome, type ApprovalRecord, isSameActor } from "../../ports/approval-store.ts";
import type { GateParts } from "../gate-parts.ts";
import { draftForApproval } from "../grants/draft-grant.ts";
import { fitInput, sensitiveInput } from "../prepare-call.ts";
import { fillIn, ofApproval, openInput } from "../sealed/sealed-inputs.ts";
import { approvalNotFound, findApproval, isPersonOf, mayAnswer } from "./approval-access.ts";
import { describeAnswer } from "./describe-answer.ts";

export async function answerApproval(
  principal: Principal,
  id: string,
  answer: { outcome: ApprovalOutcome; parts: GateParts },
): Promise<void> {
  const { outcome, parts } = answer;
  const stored = await findApproval(principal, id, parts);
  if (!stored) throw approvalNotFound(id);
  refuseAnswerer(principal, stored.record, outcome);
  const at = parts.clock.now();
  if (at >= stored.record.expiresAt) throw new ToolwrightError("approval_expired", `Approval ${id} expired. Make the call again.`);
  const given = outcome.kind === "edit" ? await takeEdit(stored.record, outcome.input, parts) : outcome;
  // Drafted before the answer counts: what cannot be remembered is refused while the person can still choose.
  const remember = outcome.kind === "approve" ? outcome.remember : undefined;
  const grant = remember && draftForApproval(principal, stored, remember, parts);
  const answered = await parts.approvals.answer(principal.tenant, id, { outcome: given, by: principal.actor, door: principal.door, at });
  if (!answered) throw await answeredBefore(principal, id, parts);
  if (grant) await parts.grants.create(grant);
}

/** Whoever comes second reads what the first one said. */
async function answeredBefore({ tenant }: Principal, id: string, { approvals }: GateParts): Promise<ToolwrightError> {
  const first = (await approvals.get(tenant, id))?.answer;
  const told = first ? `: ${describeAnswer(first)}` : ".";
  return new ToolwrightError("approval_already_answered", `Approval ${id} was answered before${told}`);
}

/** Refuses an input that does not fit while the person can still correct it; the approval stays open. */
async function takeEdit(record: ApprovalRecord, edited: Json, { snapshot, sealer }: GateParts): Promise<ApprovalOutcome> {
  const { id, tool, principal } = record;
  const compiled = snapshot(principal.tenant).find(tool);
  const sensitive = compiled && sensitiveInput(compiled, principal);
  const place = ofApproval(principal.tenant, id);
  const input = sensitive ? fillIn(edited, await openInput(record, place, sealer), sensitive) : edited;
  const parsed = compiled && fitInput(compiled, principal, input);
  if (parsed && "misfit" in parsed)
    throw new ToolwrightError(parsed.misfit.code, parsed.misfit.message, { details: parsed.misfit.details ?? null });
  const hidden = sensitive?.hide(input) ?? input;
  return { kind: "edit", input: hidden, ...(hidden !== input && { sealed: await sealer.seal(place, input) }) };
}

function refuseAnswerer(principal: Principal, record: ApprovalRecord, { kind }: ApprovalOutcome): void {
  const refuse = (reason: string) => new ToolwrightError("approval_not_allowed", `Approval ${record.id} ${reason}`);
  if (!mayAnswer(principal, record)) throw refuse("waits for a person. Agents, services and runs without a person cannot answer it.");
  const { quorum } = record;
  if (!quorum || kind === "deny" || kind === "respond") return;
  if (kind === "edit")
    throw refuse(`waits for ${quorum.approvers} people, who must all see the same input. Deny it, and let the caller repeat the call.`);
  const missing = quorum.permissions.find((permission) => !principal.permissions.includes(permission));
  if (missing !== undefined) throw refuse(`needs people with the permission ${missing}.`);
  if (quorum.notRequester && (isSameActor(principal.actor, record.principal.actor) || isPersonOf(principal, record)))
    throw refuse("needs someone other than the requester.");
}
