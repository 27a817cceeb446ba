import { type CallError, type Scope, ToolwrightError } from "@toolwright/engine";
import type { ModelMessage, ToolApprovalResponse } from "ai";
import { describeDenial, describeError, withNotes } from "../describe-ending.ts";
import { isRefusal } from "./approve-call.ts";
import { isAnswered, partsOf, siteOf } from "./call-site.ts";

interface OpenRequest {
  readonly approvalId: string;
  readonly call: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
}

/**
 * The answers that people gave at any door to what these messages wait for, as parts of a tool message to go on with. An approval that nobody
 * answered yet has no part: go on when every open request has one. Rejects with the code of the gate where it cannot be found out.
 */
export async function answersFor(
  messages: readonly ModelMessage[],
  scope: Scope,
  { key = scope.session }: { readonly key?: string } = {},
): Promise<ToolApprovalResponse[]> {
  const answers = openRequests(messages).map(async ({ approvalId, call }) => {
    const site = siteOf(call.toolCallId, messages, key);
    const prepared = await scope.prepare(call.toolName, call.input, site);
    const part = { type: "tool-approval-response" as const, approvalId };
    if (prepared.status === "pending") return [];
    if (prepared.status === "denied") return [{ ...part, approved: false, reason: withNotes(describeDenial(prepared), prepared) }];
    if (prepared.status === "failed") return [{ ...part, approved: false, reason: refusalOf(prepared.error) }];
    return [{ ...part, approved: true }];
  });
  return (await Promise.all(answers)).flat();
}

/** Throws what may be well the next time: a store that is away is no answer. */
function refusalOf(error: CallError): string {
  if (isRefusal(error)) return describeError(error);
  throw new ToolwrightError(error.code, error.message);
}

/** What the SDK asked in these messages, and no message answers. */
function openRequests(messages: readonly ModelMessage[]): readonly OpenRequest[] {
  const calls = messages.flatMap((message) => partsOf(message, "tool-call"));
  const answered = new Set(messages.flatMap((message) => partsOf(message, "tool-approval-response")).map(({ approvalId }) => approvalId));
  return messages.flatMap((message, at) =>
    partsOf(message, "tool-approval-request").flatMap(({ approvalId, toolCallId, isAutomatic }) => {
      const call = calls.findLast((made) => made.toolCallId === toolCallId);
      const isOpen = call && !isAutomatic && !answered.has(approvalId) && !isAnswered(toolCallId, messages.slice(at + 1));
      return isOpen ? [{ approvalId, call }] : [];
    }),
  );
}
