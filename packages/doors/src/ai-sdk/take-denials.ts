import { type Scope, ToolwrightError } from "@toolwright/engine";
import type { ModelMessage } from "ai";
import { isAnswered, partsOf, siteOf } from "./call-site.ts";

interface Denying {
  readonly scope: Scope;
  readonly answerAs: Scope;
  readonly conversation: string;
}

/** Gives the gate each no of the person at this program: the SDK ends such a call without asking anybody. */
export async function takeDenials(messages: readonly ModelMessage[], { scope, answerAs, conversation }: Denying): Promise<void> {
  const last = messages.at(-1);
  const denials = last ? partsOf(last, "tool-approval-response").filter(({ approved }) => !approved) : [];
  const requests = messages.flatMap((message) => partsOf(message, "tool-approval-request"));
  const calls = messages.flatMap((message) => partsOf(message, "tool-call"));
  for (const { approvalId, reason } of denials) {
    const request = requests.findLast((asked) => asked.approvalId === approvalId);
    const call = calls.findLast(({ toolCallId }) => toolCallId === request?.toolCallId);
    if (!call || isAnswered(call.toolCallId, last ? [last] : [])) continue;
    const prepared = await scope.prepare(call.toolName, call.input, siteOf(call.toolCallId, messages, conversation));
    if (prepared.status === "pending") await deny(answerAs, prepared.approval.id, reason);
  }
}

/** Whoever may not answer, or came too late, changes nothing: the SDK denies the call in any case. */
async function deny(answerAs: Scope, id: string, message: string | undefined): Promise<void> {
  try {
    await answerAs.answer(id, { kind: "deny", ...(message !== undefined && { message }) });
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
  }
}
