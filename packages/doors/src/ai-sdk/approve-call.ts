import { type CallError, type CallResult, type PendingResult, type Scope, ToolwrightError } from "@toolwright/engine";
import type { ReadyCall } from "@toolwright/engine/ports";
import type { ToolApprovalStatus } from "ai";
import { describeDenial, describeError, withNotes } from "../describe-ending.ts";
import type { CallSite } from "./call-site.ts";

/** A call that the SDK asks about, before it runs or again when a conversation goes on. */
export interface AskedCall {
  readonly scope: Scope;
  /** The scope of the person who sits at this program, whose yes in the SDK's messages counts. */
  readonly answerAs: Scope | undefined;
  readonly name: string;
  readonly input: unknown;
  readonly site: CallSite;
}

/** Asks the gate, which keeps the approval. A yes in the messages is none by itself: a person's scope has to give it. */
export async function approveCall(asked: AskedCall): Promise<ToolApprovalStatus> {
  const prepared = await prepare(asked);
  if (!asked.site.again) return prepared.status === "pending" ? waitFor(prepared) : judge(prepared, false);
  if (prepared.status !== "pending") return judge(prepared, true);
  return (await giveYes(asked, prepared)) ?? judge(await prepare(asked), true);
}

const prepare = ({ scope, name, input, site }: AskedCall) => scope.prepare(name, input, site);

function waitFor(pending: PendingResult): ToolApprovalStatus {
  const { id, reason, summary } = pending.approval;
  return { type: "user-approval", reason: withNotes(`${summary} ${reason} (approval ${id})`, pending) };
}

/** Gives the person's yes to the gate; a denial where nobody gave one. */
async function giveYes({ scope, answerAs }: AskedCall, { approval: { id } }: PendingResult): Promise<ToolApprovalStatus> {
  if (!answerAs) {
    await scope.noteUnanswered(id, "The messages of the AI SDK hold a yes that no person gave here.");
    return deny(`Approval ${id} has no answer of a person yet. Answer it at any door, then go on with these messages.`);
  }
  try {
    await answerAs.answer(id, { kind: "approve" });
    return undefined;
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
    return error.code === "approval_already_answered" ? undefined : deny(`${error.code}: ${error.message}`);
  }
}

/** `undefined` lets the SDK run the call, which meets the gate again. */
function judge(prepared: ReadyCall | CallResult, again: boolean): ToolApprovalStatus {
  switch (prepared.status) {
    case "ready":
      return again || prepared.approval === undefined ? undefined : deny(repeated);
    case "denied":
      return deny(withNotes(describeDenial(prepared), prepared));
    case "failed":
      return isRefusal(prepared.error) ? deny(describeError(prepared.error)) : undefined;
    case "pending":
      return deny(`Approval ${prepared.approval.id} waits for more people. ${prepared.approval.reason}`);
    default:
      return again ? undefined : deny(repeated);
  }
}

/** True for a call that cannot run with its key any more, or with its approval: the call itself would not say it better. */
export function isRefusal({ code }: CallError): boolean {
  return code === "idempotency_mismatch" || code.startsWith("approval_");
}

const repeated =
  "The id of this tool call was used before in this step of the conversation, so nothing ran. Make the call again with a new id.";
const deny = (reason: string): ToolApprovalStatus => ({ type: "denied", reason });
