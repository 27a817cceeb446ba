import type { CallError, CallResult, DeniedResult, Json, PendingResult } from "@toolwright/engine";
import { wellFormedJson } from "@toolwright/engine/ports";

/** What a model is told beside the error of a call whose end is unknown. */
export const lostAnswer =
  "The request was sent and its answer was lost: it may or may not have taken effect. Check before you call the tool again.";

/** An error in the words of a model: code, message, and what the details say beyond it. */
export function describeError(error: CallError): string {
  const code = error.toolCode ? `${error.code} (${error.toolCode})` : error.code;
  const unsaid = unsaidIn(error.message, error.details);
  const details = unsaid === undefined ? "" : `\nDetails: ${wellFormedJson(unsaid).slice(0, 4000)}`;
  return `Error ${code}: ${error.message}${details}`;
}

/** The part of the details that the message does not hold already: of a list only such items, and nothing when it says all. */
function unsaidIn(message: string, details: Json | undefined): Json | undefined {
  if (!Array.isArray(details)) return details !== undefined && isSaid(message, details) ? undefined : details;
  const left = details.filter((item: Json) => !isSaid(message, item));
  return left.length === 0 ? undefined : left;
}

function isSaid(message: string, value: Json): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every((item: Json) => isSaid(message, item));
  const text = String(value);
  const at = message.indexOf(text);
  // A part of a longer word or number is not the value.
  return text === "" || (at >= 0 && !/\w{2}/.test(edge(message, at)) && !/\w{2}/.test(edge(message, at + text.length)));
}

const edge = (message: string, at: number) => message.slice(Math.max(0, at - 1), at + 1);

/** A person's words, or what the policy says with its rule and remedy. */
export function describeDenial({ decision, message }: DeniedResult): string {
  if (message !== undefined) return `Denied by a person: ${message}`;
  const { reason, rule, remedy } = decision;
  return [`Denied: ${reason}`, `Rule: ${rule}`, ...(remedy && !reason.includes(remedy) ? [remedy] : [])].join("\n");
}

/** A call that has not run. `howToAnswer` is a sentence. */
export function describePending(result: PendingResult, howToAnswer: string): string {
  const next = "After that, call the tool again with exactly the same input. Do not try to reach the same effect another way.";
  return `${describeWaiting(result, howToAnswer)}\n${next}`;
}

/** A call that runs by itself once a person has approved it. */
export function describeWaiting({ approval, tool }: PendingResult, howToAnswer: string): string {
  return [
    `Not run yet: "${tool}" waits for a person's approval: ${approval.summary}`,
    `Reason: ${approval.reason}`,
    `Approval ${approval.id}, valid until ${new Date(approval.expiresAt).toISOString()}.`,
    howToAnswer,
  ].join("\n");
}

/** Notes and replay, or undefined without any. A replay is the first answer to the letter, so only the text says that it is one. */
export function describeNotes({ notes = [], replayed, callId }: CallResult): string | undefined {
  const replay = replayed ? [`Nothing ran now: call ${callId} had ended, and this is its result.`] : [];
  const said = [...replay, ...notes];
  return said.length > 0 ? `Note: ${said.join("\nNote: ")}` : undefined;
}

/** A text with the notes of a call below it. */
export function withNotes(text: string, result: CallResult): string {
  const notes = describeNotes(result);
  return notes === undefined ? text : `${text}\n${notes}`;
}
