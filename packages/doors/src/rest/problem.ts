import { type CallResult, type ErrorCode, errorCodes, type Json, type ToolwrightError } from "@toolwright/engine";
import { WrittenResponse } from "../http/written-response.ts";

/** What goes wrong with a request before any operation or tool hears of it, and endings of calls that are no error of the engine. */
export const requestCodes = {
  request_malformed: "The request cannot be read.",
  request_too_large: "The body of the request is too large.",
  request_refused: "The request is for another host, or comes from another origin.",
  request_proxied: "A server without sign-in serves nothing that comes through a proxy.",
  token_in_url: "A token may not be part of a URL.",
  unauthenticated: "Nobody is known by these credentials.",
  scope_missing: "The token lacks a scope.",
  media_type_unsupported: "The body has a media type that is not taken here.",
  route_not_found: "There is nothing at this path.",
  method_not_allowed: "The path does not take this method.",
  precondition_failed: "What the request was made for has changed.",
  range_not_satisfiable: "The range lies beyond the end.",
  too_many_calls: "As many calls run on without their callers as may.",
  server_closing: "The server is closing.",
  call_denied: "The policy or a person denied the call.",
  call_cancelled: "The call was cancelled.",
} as const;

export type ProblemCode = ErrorCode | keyof typeof requestCodes;

/** RFC 9110 statuses of every code. What a tool could not do is 422: the request was right, and the server did its part. */
export const problemStatuses: Readonly<Record<ProblemCode, number>> = {
  request_malformed: 400,
  token_in_url: 400,
  unauthenticated: 401,
  request_refused: 403,
  request_proxied: 403,
  scope_missing: 403,
  call_denied: 403,
  principal_invalid: 403,
  effect_refused: 403,
  approval_not_allowed: 403,
  grant_not_allowed: 403,
  operation_not_allowed: 403,
  path_refused: 403,
  command_refused: 403,
  url_refused: 403,
  route_not_found: 404,
  tenant_not_found: 404,
  tool_not_found: 404,
  approval_not_found: 404,
  grant_not_found: 404,
  call_not_found: 404,
  run_not_found: 404,
  artifact_not_found: 404,
  catalogue_not_found: 404,
  policy_not_found: 404,
  session_not_found: 404,
  turn_not_found: 404,
  room_not_found: 404,
  model_unavailable: 503,
  document_unreadable: 422,
  document_not_found: 404,
  memory_not_found: 404,
  browser_not_found: 404,
  browser_unavailable: 503,
  browser_refused: 403,
  job_not_found: 404,
  identity_not_found: 404,
  operation_not_found: 404,
  method_not_allowed: 405,
  call_cancelled: 409,
  approval_not_answered: 409,
  approval_already_answered: 409,
  approval_used: 409,
  approval_void: 409,
  idempotency_in_progress: 409,
  call_suspended: 409,
  call_void: 409,
  step_diverged: 409,
  duplicate_tool: 409,
  policy_conflict: 409,
  job_refused: 409,
  approval_expired: 410,
  precondition_failed: 412,
  request_too_large: 413,
  input_too_large: 413,
  media_type_unsupported: 415,
  range_not_satisfiable: 416,
  invalid_input: 422,
  tool_failed: 422,
  grant_refused: 422,
  idempotency_mismatch: 422,
  call_depth: 422,
  call_cycle: 422,
  call_tree_full: 422,
  file_not_found: 422,
  not_a_file: 422,
  file_too_large: 422,
  file_changed: 422,
  file_exists: 422,
  process_not_found: 422,
  name_not_resolved: 422,
  connection_failed: 422,
  response_too_large: 422,
  too_many_redirects: 422,
  secret_missing: 422,
  artifact_too_large: 422,
  definition_invalid: 422,
  schema_refused: 422,
  catalogue_refused: 422,
  policy_invalid: 422,
  session_refused: 422,
  event_refused: 422,
  identity_refused: 422,
  rate_limited: 429,
  limit_reached: 429,
  too_many_calls: 429,
  internal: 500,
  tool_error: 500,
  invalid_output: 500,
  output_not_json: 500,
  call_lost: 500,
  spawn_failed: 500,
  secret_unreadable: 500,
  load_failed: 500,
  store_failed: 500,
  settings_invalid: 500,
  operation_unavailable: 501,
  busy: 503,
  call_handed_over: 503,
  server_closing: 503,
  workspace_missing: 503,
  sandbox_unavailable: 503,
  limit_unenforceable: 503,
  store_in_use: 503,
  store_unreachable: 503,
  store_outdated: 503,
  store_newer: 503,
  server_unavailable: 503,
  record_failed: 503,
  timeout: 504,
  idle_timeout: 504,
  disk_full: 507,
  artifact_quota: 507,
};

/** One place of an input that does not fit. */
export interface ProblemIssue {
  /** RFC 6901, into the input; "" is the whole. */
  readonly pointer: string;
  readonly message: string;
}

/** RFC 9457, with the members that are ours behind `code`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  /** The tool's own code. */
  readonly toolCode?: string;
  readonly callId?: string;
  readonly issues?: readonly ProblemIssue[];
  readonly details?: Json;
  /** How the call ended, as a call inside the program is answered. */
  readonly result?: CallResult;
}

interface Described extends Pick<Problem, "toolCode" | "callId" | "result"> {
  readonly code: ProblemCode;
  readonly message: string;
  readonly details?: Json | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What every code means. */
export const problemTitles: Readonly<Record<ProblemCode, string>> = { ...errorCodes, ...requestCodes };

/** What went wrong, as `application/problem+json`. */
export function problem({ code, message, details, headers, ...rest }: Described): Response {
  const status = problemStatuses[code];
  const issues = issuesOf(details);
  const body: Problem = {
    ...{ type: `urn:toolwright:problem:${code}`, title: problemTitles[code], status, detail: message, code },
    ...rest,
    ...(issues ? { issues } : details !== undefined && { details }),
  };
  return WrittenResponse.json(body, {
    status,
    headers: { "content-type": "application/problem+json", ...limitHeaders(details), ...headers },
  });
}

/** An error of the engine as a problem. */
export function problemOf({ code, message, details }: ToolwrightError): Response {
  return problem({ code, message, details });
}

/** The places that a parse of an input names. */
function issuesOf(details: Json | undefined): readonly ProblemIssue[] | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined;
  const issues = details.flatMap((each) => (isPlace(each) ? [{ pointer: each.path, message: each.message }] : []));
  return issues.length === details.length ? issues : undefined;
}

function isPlace(value: Json): value is { readonly path: string; readonly message: string } {
  return typeof value === "object" && value !== null && "path" in value && "message" in value && typeof value.path === "string";
}

/** Where a limit refused: when to come again, and which limit it was (draft-ietf-httpapi-ratelimit-headers). */
function limitHeaders(details: Json | undefined): Readonly<Record<string, string>> {
  if (typeof details !== "object" || details === null) return {};
  const { retryAfterMs, rule: name } = details as Readonly<Record<string, Json | undefined>>;
  if (typeof retryAfterMs !== "number") return {};
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const rule = typeof name === "string" ? name.replace(/[^\x20-\x7e]|["\\]/g, "") : "limit";
  return { "retry-after": String(seconds), ratelimit: `"${rule}";r=0;t=${seconds}` };
}
