import type { CallError, CallResult } from "@toolwright/engine";
import { WrittenResponse } from "../../http/written-response.ts";
import { problem } from "../problem.ts";

/** How a call ended, as an HTTP answer: the result where it is done or waits, else a problem that holds it. */
export function writeResult(result: CallResult, base: string): Response {
  const { callId } = result;
  const headers = { "cache-control": "no-store", ...(result.replayed && { "idempotent-replayed": "true" }) };
  switch (result.status) {
    case "done":
      return WrittenResponse.json(result, { headers });
    case "pending":
      return WrittenResponse.json(result, { status: 202, headers: { ...headers, location: `${base}/approvals/${result.approval.id}` } });
    case "denied":
      return problem({ code: "call_denied", message: describeDenial(result), callId, result, headers });
    case "cancelled":
      return problem({ code: "call_cancelled", message: result.reason, callId, result, headers });
    case "failed":
    case "unknown":
      return failed(result.error, result, headers);
  }
}

function describeDenial({ message, decision: { reason, rule, remedy } }: Extract<CallResult, { status: "denied" }>): string {
  return message ?? `${reason} (${rule})${remedy === undefined ? "" : ` ${remedy}`}`;
}

function failed({ code, message, toolCode, details }: CallError, result: CallResult, headers: Readonly<Record<string, string>>): Response {
  return problem({ code, message, details, callId: result.callId, result, headers, ...(toolCode !== undefined && { toolCode }) });
}
