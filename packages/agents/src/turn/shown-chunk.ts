import type { CallResult } from "@toolwright/engine";
import type { UIMessageChunk } from "ai";

/** Calls whose outcome people have seen already, in a step that is given again after it waited. */
export type SeenStep = { readonly calls: ReadonlySet<string> } | undefined;

/** What people see of a chunk of the SDK: a call that waits asks for approval, and errors are told once the turn gives up. */
export function shownChunk(chunk: UIMessageChunk, seen: SeenStep): UIMessageChunk | undefined {
  switch (chunk.type) {
    case "error":
    case "abort":
      return undefined;
    case "tool-output-available": {
      if (seen?.calls.has(chunk.toolCallId)) return undefined;
      const { status, approval } = chunk.output as { status?: string; approval?: Extract<CallResult, { status: "pending" }>["approval"] };
      // The SDK gives a result twice, first as if the call still ran.
      if (chunk.preliminary && status !== "running") return undefined;
      if (status !== "pending" || !approval) return chunk;
      return {
        type: "tool-approval-request",
        approvalId: approval.id,
        toolCallId: chunk.toolCallId,
        reason: approval.summary,
      } as UIMessageChunk;
    }
    case "tool-output-error":
    case "tool-output-denied":
      return seen?.calls.has(chunk.toolCallId) ? undefined : chunk;
    default:
      return seen ? undefined : chunk;
  }
}
