import type { CallResult } from "../../contract/call.ts";
import type { Decision } from "../../contract/decision.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import { visibleText } from "../../contract/visible-text.ts";
import type { ApprovalAnswer, ApprovalBinding, ApprovalOutcome, ApprovalRecord, StoredApproval } from "../../ports/approval-store.ts";
import type { Call } from "../call.ts";
import { askedFor, decideCall, heedCautions } from "../decide-call.ts";
import type { GateParts } from "../gate-parts.ts";
import { prepareCall } from "../prepare-call.ts";
import { noteEvent } from "../record-events.ts";
import { executeCall } from "../run/execute-call.ts";
import { ofApproval, openInput } from "../sealed/sealed-inputs.ts";
import { bindingOf, describePending } from "./request-approval.ts";

/** Runs the call as its approval says: once, and only if nothing that the approval is bound to has changed. */
export async function redeemApproval(call: Call, stored: StoredApproval, parts: GateParts): Promise<CallResult> {
  const { record, answer } = stored;
  call.isAsked = true;
  if (record.trace) call.span?.link(record.trace);
  const isRefusal = answer?.outcome.kind === "deny" || answer?.outcome.kind === "respond";
  if (answer && stored.claimedAt !== undefined)
    return ofBefore(call, isRefusal ? refusedByPerson(call, record, answer) : used(call, record.id));
  if (parts.clock.now() >= record.expiresAt)
    return call.failed({ code: "approval_expired", message: `Approval ${record.id} expired. Make the call again.` });
  if (!answer) return ofBefore(call, describePending(call, record));
  const claim = () => parts.approvals.claim(record.principal.tenant, record.id, parts.clock.now());
  const { outcome } = answer;
  if (isRefusal) {
    // Told as often as it is asked for; but the next call of its kind asks anew.
    const told = refusedByPerson(call, record, answer);
    return (await claim()) ? told : ofBefore(call, told);
  }
  const input = await openApproved(record, outcome, parts);
  if (input === unreadable)
    return call.failed({
      code: "approval_void",
      message: `Approval ${record.id} is void: its sensitive members cannot be opened here. Make the call again.`,
    });
  const prepared = prepareCall(call, input, parts);
  if (prepared.end) return unloaded(call, record, parts) ?? prepared.end;
  // What is kept of the input does not say so.
  call.asksFirst = record.decision.findings.some(({ rule }) => rule === askedFor.rule);
  const decision = await heedCautions(prepared.value, decideCall(prepared.value, parts), parts);
  const { binding, unsettled } = await bindingOf(prepared.value, decision, parts);
  const isEdited = outcome.kind === "edit";
  const drift = findDrift(record, binding, isEdited) ?? (isEdited ? undefined : unsettled);
  if (drift) return call.failed({ code: "approval_void", message: `Approval ${record.id} is void: ${drift} Make the call again.` });
  if (decision.effect === "deny") return call.denied(decision);
  const { preparation } = call.options;
  if (preparation) {
    preparation.approval = record.id;
    return call.stopPrepared(preparation, approvedDecision(decision, answer));
  }
  if (!(await claim())) return ofBefore(call, used(call, record.id));
  call.isApprovalSpent = true;
  noteEvent(call, "tool.approved", { approval: record.id, by: { ...answer.by }, edited: isEdited }, parts);
  return executeCall({ ...prepared.value, approved: true }, approvedDecision(decision, answer), parts);
}

const unreadable = Symbol("unreadable");

/** What the call runs with: as it was asked for, or as a person edited it. */
async function openApproved(record: ApprovalRecord, outcome: ApprovalOutcome, { sealer }: GateParts): Promise<Json | typeof unreadable> {
  try {
    return await openInput(outcome.kind === "edit" ? outcome : record, ofApproval(record.principal.tenant, record.id), sealer);
  } catch (error) {
    if (ToolwrightError.is(error) && error.code === "secret_unreadable") return unreadable;
    throw error;
  }
}

/** The result of a call that the log has already: asking again neither ends it once more nor changes how it ended. */
function ofBefore(call: Call, result: CallResult): CallResult {
  call.isRecorded = true;
  return result;
}

function used(call: Call, id: string): CallResult {
  return call.failed({
    code: "approval_used",
    message: `Approval ${id} was used before; each one runs once. Make the call again to ask again.`,
  });
}

/** Files that are named of those that a tool was made of, any of which may be why it is gone. */
const mostFiles = 50;

/** The result for a tool whose file is gone or fails to load. The requester already knows the tool, so its name is no secret. */
function unloaded(call: Call, { id, tool, binding: { code = [] } }: ApprovalRecord, parts: GateParts): CallResult | undefined {
  if (code.length === 0 || parts.snapshot(call.principal.tenant).find(tool)) return undefined;
  const files = code.slice(0, mostFiles).map(([name]) => JSON.stringify(visibleText(name)));
  const message = `Approval ${id} is void: the tool "${tool}" is not loaded any more. Look at the files that it was made of: ${files.join(", ")}. Make the call again.`;
  return call.failed({ code: "approval_void", message });
}

/** The first thing that differs, in a sentence. An edited input is a person's own and is not compared. */
function findDrift({ binding: bound, tool }: ApprovalRecord, now: ApprovalBinding, edited: boolean): string | undefined {
  const changed = (what: string) => `${what} changed since it was asked for.`;
  if (bound.definition !== now.definition)
    return `${changed(`the definition of the tool "${tool}"`)}${pointTo(findChangedParts(bound.code, now.code))}`;
  if (bound.policyRevision !== now.policyRevision)
    return `the policy in force here (revision ${now.policyRevision.slice(0, 12)}) is not the one that it was asked for under (revision ${bound.policyRevision.slice(0, 12)}).`;
  if (bound.secrets !== now.secrets) return changed("a secret that the call uses");
  if (bound.caller !== now.caller) return changed("the caller, or what it may reach,");
  if (bound.files !== now.files)
    return now.files === undefined
      ? "the files that came with the call are not kept while it waits, and did not come again. The approval stays for the same call with the same files and, where it had one, the same idempotency key."
      : changed("a file that came with the call");
  if (edited) return undefined;
  if (bound.input !== now.input) return changed("the input");
  if (bound.disclosed !== now.disclosed) return changed("what the policy says of its risks");
  if (bound.world === now.world) return undefined;
  return `${changed("what it names on this machine (folder, program or script)")}${pointTo(findChangedParts(bound.parts, now.parts))}`;
}

/** Names that a message holds. */
const shownParts = 5;

const pointTo = (names: readonly string[]) => (names.length > 0 ? ` Look at ${names.join(", ")} first.` : "");

type Parts = ApprovalBinding["parts"];

function findChangedParts(before: Parts = [], after: Parts = []): readonly string[] {
  const [old, current] = [new Map(before), new Map(after)];
  const names = [...new Set([...old.keys(), ...current.keys()])].filter((name) => old.get(name) !== current.get(name));
  const texts = names.slice(0, shownParts).map((name) => {
    const what = !old.has(name) ? "is new" : current.has(name) ? "changed" : "is gone";
    return `${JSON.stringify(visibleText(name))} (${what})`;
  });
  return names.length > shownParts ? [...texts, `${names.length - shownParts} more`] : texts;
}

function refusedByPerson(call: Call, record: ApprovalRecord, { outcome }: ApprovalAnswer): CallResult {
  const message = ("message" in outcome ? outcome.message : undefined) ?? "A person denied this call.";
  const rule = outcome.kind === "respond" ? "approval.respond" : "approval.deny";
  const finding = { effect: "deny" as const, layer: "tool" as const, rule, reason: message };
  return call.denied({ ...finding, revision: record.decision.revision, findings: [finding] }, message);
}

function approvedDecision(decision: Decision, answer: ApprovalAnswer): Decision {
  const reason = `Approved by ${answer.by.kind} "${answer.by.id}".`;
  return { ...decision, effect: "allow", rule: `approval.${answer.outcome.kind}`, reason };
}
