import type { CallResult } from "@toolwright/engine";

interface Refused {
  readonly callId: string;
  readonly tool: string;
  /** Calls that one response may make. */
  readonly most: number;
}

/** How a call ends that its response makes beyond the limit: it never comes to the gate. */
export function refuseCall({ callId, tool, most }: Refused): CallResult {
  const message = `One answer may make ${most} calls, and this one is beyond that. Read what the others gave, then make it anew.`;
  const facts = { durationMs: 0, repairs: [], anomalies: [], artifacts: [] };
  return { callId, tool, ...facts, status: "failed", error: { code: "call_tree_full", message } };
}
