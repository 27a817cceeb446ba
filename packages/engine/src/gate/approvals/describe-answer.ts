import { visibleText } from "../../contract/visible-text.ts";
import type { ApprovalAnswer, ApprovalOutcome, StoredApproval } from "../../ports/approval-store.ts";

/** `denied by user ann at 2026-01-31T09:00:00.000Z: "Not on a Friday."` */
export function describeAnswer({ outcome, by, at }: ApprovalAnswer): string {
  const words = wordsOf(outcome);
  const who = `${by.kind} ${visibleText(by.id)} at ${new Date(at).toISOString()}`;
  return `${verbs[outcome.kind]} by ${who}${words === undefined ? "" : `: ${visibleText(JSON.stringify(words))}`}`;
}

const verbs = { approve: "approved", deny: "denied", edit: "approved with another input", respond: "answered in its place" } as const;

function wordsOf(outcome: ApprovalOutcome) {
  if (outcome.kind === "approve") return outcome.remember;
  return outcome.kind === "edit" ? outcome.input : outcome.message;
}

/** Who said what of an approval and when, and what became of that by `now`. */
export function describeState({ record, answer, approvals = [], claimedAt, expiredAt }: StoredApproval, now: number): string {
  const counted =
    answer && !approvals.some(({ at, by }) => at === answer.at && by.id === answer.by.id) ? [...approvals, answer] : approvals;
  const said = counted.map(describeAnswer);
  if (claimedAt !== undefined) said.push(`used at ${new Date(claimedAt).toISOString()}`);
  else if (!answer) said.push(describeOpen(record, approvals.length, { now, expiredAt }));
  return said.join("\n           ");
}

function describeOpen(
  { expiresAt, quorum }: StoredApproval["record"],
  approvals: number,
  { now, expiredAt }: Pick<StoredApproval, "expiredAt"> & { readonly now: number },
): string {
  if (expiredAt !== undefined) return `expired at ${new Date(expiredAt).toISOString()}; nobody answered`;
  if (expiresAt <= now) return "expired";
  return quorum ? `open, approved by ${approvals} of ${quorum.approvers} people` : "open";
}
