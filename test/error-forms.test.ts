import { wireForms } from "@toolwright/doors/mcp";
import { problemStatuses } from "@toolwright/doors/rest";
import { expect, test } from "vitest";
import { exitCodeOfCode } from "../packages/cli/src/exit-code-of.ts";

interface Forms {
  /** HTTP status. */
  readonly status: number;
  /** Exit code of the command line. Left out: only the REST door has these codes. */
  readonly exit?: number;
  /** Code of the JSON-RPC error. Left out: a result of the tool. */
  readonly rpc?: number;
  readonly codes: string;
}

/** Programs and scripts branch on these. A code that is new needs no line here: it has the forms of its kind. */
const forms: readonly Forms[] = [
  { status: 400, codes: "request_malformed token_in_url" },
  { status: 401, codes: "unauthenticated" },
  { status: 403, codes: "call_denied request_proxied request_refused scope_missing" },
  {
    status: 403,
    exit: 1,
    codes:
      "approval_not_allowed browser_refused command_refused effect_refused grant_not_allowed path_refused principal_invalid url_refused",
  },
  { status: 403, exit: 3, codes: "operation_not_allowed" },
  { status: 404, codes: "route_not_found" },
  { status: 404, exit: 2, rpc: -32602, codes: "tool_not_found" },
  {
    status: 404,
    exit: 2,
    codes:
      "browser_not_found call_not_found document_not_found memory_not_found policy_not_found room_not_found session_not_found turn_not_found approval_not_found artifact_not_found catalogue_not_found grant_not_found identity_not_found job_not_found operation_not_found run_not_found tenant_not_found",
  },
  { status: 405, codes: "method_not_allowed" },
  { status: 409, codes: "call_cancelled" },
  {
    status: 409,
    exit: 1,
    codes:
      "approval_already_answered approval_not_answered approval_used approval_void call_suspended call_void policy_conflict step_diverged idempotency_in_progress",
  },
  { status: 409, exit: 2, codes: "duplicate_tool job_refused" },
  { status: 410, exit: 1, codes: "approval_expired" },
  { status: 412, codes: "precondition_failed" },
  { status: 413, codes: "request_too_large" },
  { status: 413, exit: 1, codes: "input_too_large" },
  { status: 415, codes: "media_type_unsupported" },
  { status: 416, codes: "range_not_satisfiable" },
  {
    status: 422,
    exit: 1,
    codes:
      "connection_failed name_not_resolved artifact_too_large call_cycle call_depth call_tree_full document_unreadable event_refused file_changed file_exists file_not_found file_too_large grant_refused idempotency_mismatch not_a_file process_not_found response_too_large secret_missing session_refused too_many_redirects tool_failed",
  },
  { status: 422, exit: 2, codes: "catalogue_refused definition_invalid identity_refused invalid_input policy_invalid schema_refused" },
  { status: 429, codes: "too_many_calls" },
  { status: 429, exit: 1, codes: "limit_reached rate_limited" },
  {
    status: 500,
    exit: 1,
    codes: "spawn_failed tool_error call_lost internal invalid_output load_failed output_not_json secret_unreadable store_failed",
  },
  { status: 500, exit: 2, codes: "settings_invalid" },
  { status: 501, exit: 1, codes: "operation_unavailable" },
  { status: 503, codes: "server_closing" },
  {
    status: 503,
    exit: 1,
    codes: "busy browser_unavailable call_handed_over model_unavailable store_newer store_outdated workspace_missing record_failed",
  },
  { status: 503, exit: 69, codes: "store_unreachable limit_unenforceable sandbox_unavailable server_unavailable store_in_use" },
  { status: 504, exit: 1, codes: "idle_timeout timeout" },
  { status: 507, exit: 1, codes: "artifact_quota" },
  { status: 507, exit: 69, codes: "disk_full" },
];

const own = (table: object, code: string): unknown => Object.entries(table).find(([name]) => name === code)?.[1];

test.each(forms)("status $status, exit code $exit: $codes", ({ status, exit, rpc, codes }) => {
  for (const code of codes.split(" ")) {
    expect([code, own(problemStatuses, code)]).toEqual([code, status]);
    expect([code, own(wireForms, code)]).toEqual([code, exit === undefined ? undefined : (rpc ?? "result")]);
    if (exit !== undefined) expect([code, exitCodeOfCode(code as never)]).toEqual([code, exit]);
  }
});
