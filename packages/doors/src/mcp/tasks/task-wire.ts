import { type CallToolResult, type InputRequests, ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import type { CallResult } from "@toolwright/engine";
import type { FollowedCall } from "@toolwright/engine/ports";
import { describeError } from "../../describe-ending.ts";

/** How a task stands, in the words of the extension (SEP-2663, "Task statuses"). */
export type TaskStanding =
  | { readonly status: "working"; readonly statusMessage?: string }
  | { readonly status: "input_required"; readonly inputRequests: InputRequests }
  | { readonly status: "completed"; readonly result: CallToolResult }
  | { readonly status: "failed"; readonly statusMessage: string; readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: "cancelled"; readonly statusMessage: string };

/** Milliseconds until the next look is worth it: people take longer than tools. */
const pollMs = { working: 1_000, person: 5_000 } as const;

/** What `tasks/get` answers. */
export function writeTask(id: string, call: FollowedCall, standing: TaskStanding): Result {
  return { ...writeFacts(id, call), ...standing };
}

/** What `tools/call` answers in the place of a result; how the task stands beyond its status is for `tasks/get`. */
export function writeCreated(id: string, call: FollowedCall, standing: TaskStanding): Result {
  const { status } = standing;
  return {
    resultType: "task",
    ...writeFacts(id, call),
    status,
    ...("statusMessage" in standing && { statusMessage: standing.statusMessage }),
  };
}

function writeFacts(taskId: string, { claimedAt, changedAt, expiresAt, result, approval }: FollowedCall): Result {
  const lastChange = Math.max(changedAt, approval?.answer?.at ?? 0, approval?.claimedAt ?? 0);
  return {
    taskId,
    createdAt: new Date(claimedAt).toISOString(),
    lastUpdatedAt: new Date(lastChange).toISOString(),
    ttlMs: expiresAt - claimedAt,
    pollIntervalMs: result?.status === "pending" ? pollMs.person : pollMs.working,
  };
}

type Ended = Exclude<CallResult, { status: "pending" }>;

/**
 * How an ended task stands. What went wrong with the tool is a result, which the model reads; failed is a task that came to no answer: by a defect of
 * the server, or because the process that ran it is gone.
 */
export function standingOf(result: Ended, write: (result: CallResult) => CallToolResult): TaskStanding {
  if (result.status === "cancelled") return { status: "cancelled", statusMessage: result.reason };
  if (result.status === "unknown" || (result.status === "failed" && result.error.code === "internal"))
    return failed(ProtocolErrorCode.InternalError, describeError(result.error));
  try {
    return { status: "completed", result: { ...write(result), resultType: "complete" } };
  } catch (error) {
    if (error instanceof ProtocolError) return failed(error.code, error.message);
    throw error;
  }
}

function failed(code: number, message: string): TaskStanding {
  return { status: "failed", statusMessage: message, error: { code, message } };
}
