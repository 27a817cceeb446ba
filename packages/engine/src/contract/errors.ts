import type { Json } from "./json.ts";

/**
 * Every way in which the engine itself fails, with its meaning. Codes are stable: doors map each of them to
 * their wire form in one exhaustive table, and users match on them.
 */
export const errorCodes = {
  tenant_not_found: "There is no such tenant; nothing ran.",
  principal_invalid: "The principal is not well formed; nothing ran.",
  tool_not_found: "No tool of that name is visible to this principal.",
  invalid_input: "The input does not fit the tool's schema.",
  input_too_large: "The input is larger or deeper than the engine accepts.",
  rate_limited: "A rate or budget of the policy is used up.",
  limit_reached: "A person has as many of something as one may have; the message says what to do.",
  busy: "All places of a pool that people share are in use; the message says when to try again.",
  timeout: "The call reached its total time limit.",
  idle_timeout: "The call gave no sign of progress within its idle limit.",
  tool_failed: "The tool reported a failure of its own.",
  tool_error: "The tool threw an unexpected error.",
  invalid_output: "The tool returned a value that its output schema refuses.",
  output_not_json: "The tool returned a value that JSON cannot carry.",
  effect_refused: "The policy or a declared effect does not permit what the tool tried to do.",
  approval_not_found: "There is no such approval for this principal.",
  approval_not_allowed: "This principal may not answer or resume the approval.",
  approval_not_answered: "Nobody has answered the approval yet.",
  approval_already_answered: "The approval was answered before.",
  approval_used: "The approval was used before; each one runs once.",
  approval_expired: "The approval was not used in time.",
  approval_void: "Something the approval was bound to has changed.",
  grant_not_found: "There is no such grant for this principal.",
  grant_not_allowed: "This principal may not give or revoke the grant.",
  grant_refused: "What the grant would allow is not remembered: it is too broad, runs code, or is asked about each time.",
  idempotency_mismatch: "The idempotency key was used before with another tool or other input.",
  idempotency_in_progress: "The first call with this idempotency key has not ended yet.",
  call_not_found: "There is no call of that id that waits or runs on for this principal.",
  call_suspended: "The call waits for an answer and makes no more calls until it runs again.",
  call_void: "A suspended call cannot go on, because a definition that it depends on changed or is gone.",
  call_depth: "Calls inside calls are too many levels deep.",
  call_cycle: "A tool may not call itself, directly or through others.",
  call_tree_full: "The tree of calls has as many calls as it may have.",
  step_diverged: "A step of a call was used for another call than before.",
  call_lost: "The process that ran the call ended before the call did; whether it had its effect is unknown.",
  call_handed_over: "The process that ran the call ends, and another one goes on with it; the same call with the same key finds it.",
  path_refused: "The path is outside the workspace, protected, or not a plain name.",
  file_not_found: "There is no file or folder at that path.",
  not_a_file: "The path is not a regular file, or not a folder where one is needed.",
  file_too_large: "The file is larger than the limit.",
  file_changed: "The file changed since it was read.",
  file_exists: "There is already a file at that path.",
  workspace_missing: "The workspace folder does not exist any more.",
  disk_full: "The disk or quota is full.",
  command_refused: "The command may not run.",
  process_not_found: "No process of that id belongs to this session.",
  spawn_failed: "The program could not be started.",
  sandbox_unavailable: "The sandbox that the policy demands cannot be had on this machine.",
  limit_unenforceable: "The policy demands a limit that this machine cannot enforce.",
  url_refused: "The URL, host or address is not one that may be reached.",
  name_not_resolved: "The host name has no address.",
  connection_failed: "The connection failed.",
  response_too_large: "The response is larger than the limit.",
  too_many_redirects: "The server redirected more often than the limit.",
  secret_missing: "A secret that the tool declares is not configured.",
  secret_unreadable: "A secret is stored, but cannot be decrypted with the keys at hand.",
  artifact_not_found: "There is no such artifact for this principal.",
  artifact_too_large: "The artifact is larger than one may be.",
  artifact_quota: "The session or tenant has no room left for artifacts.",
  definition_invalid: "The tool definition is not well formed.",
  schema_refused: "The tool's schema breaks a rule that providers enforce.",
  duplicate_tool: "Two definitions have the same name.",
  load_failed: "The file could not be loaded as a tool.",
  catalogue_not_found: "There is no such agent, skill, hook or row of a tool.",
  catalogue_refused: "What was asked of an agent, skill, hook or tool's row cannot be done.",
  policy_conflict: "The tenant's policy changed since the revision that was read; nothing was written.",
  policy_not_found: "The tenant has no policy of that revision.",
  policy_invalid: "The policy document is not valid.",
  store_in_use: "Another process holds the folder of the store.",
  store_unreachable: "The database does not answer now; the same can be tried again.",
  store_outdated: "The database needs a migration that was not asked for.",
  store_newer: "The database was made by a newer version than this one.",
  store_failed: "The database rejected the operation.",
  session_not_found: "There is no such session for this principal.",
  turn_not_found: "There is no such turn for this principal.",
  room_not_found: "There is no such room, or event of it, for this principal.",
  model_unavailable: "The model does not exist, has no key, or does not answer.",
  document_unreadable: "The document cannot be read: it is encrypted, damaged, of an unknown kind, or beyond a limit.",
  document_not_found: "There is no such document for this principal.",
  memory_not_found: "There is no such memory for this principal.",
  browser_not_found: "The session has no page that can be shown.",
  browser_unavailable: "There is no browser, it could not be started, or it ended.",
  browser_refused: "The page, or what was asked of it, is not permitted.",
  session_refused: "The session cannot be made or changed as asked.",
  event_refused: "Events of this type are not declared, or the event is not well formed; nothing was written.",
  job_not_found: "There is no such job or schedule for this principal.",
  job_refused: "The job or schedule cannot be made, or is not in a state for this.",
  identity_not_found: "The caller has no such tenant, user, role, invitation or key.",
  identity_refused: "What was asked about tenants, users or keys cannot be.",
  settings_invalid: "A setting of the server cannot be used.",
  server_unavailable: "What the server needs of its machine is not there: its port, its store, a folder that it may write.",
  record_failed: "The event log could not be written.",
  operation_not_found: "There is no operation of that name.",
  operation_not_allowed: "This principal may not use the operation; nothing happened.",
  operation_unavailable: "The engine was not given what the operation works on.",
  run_not_found: "There is no such run for this principal.",
  internal: "A defect in the engine.",
} as const;

/** Every code that a `ToolwrightError` can carry. A code keeps its meaning from release to release. */
export type ErrorCode = keyof typeof errorCodes;

/** Characters of a message that are kept: one that quotes what a caller sent must not cost, nor fill a model's window, as that does. */
const mostMessage = 20_000;

/** The end stays, where a message says what to do. */
function cutMessage(message: string): string {
  if (message.length <= mostMessage) return message;
  const [start, end] = [message.slice(0, mostMessage - 2_000), message.slice(-2_000)];
  return `${start} [${message.length - mostMessage} characters are left out here] ${end}`.toWellFormed();
}

const brand = Symbol.for("toolwright.error");

/** What an error carries beside code and message: `details` as JSON for programs, and the `cause`. */
export interface ErrorOptionsWithDetails {
  readonly details?: Json;
  readonly cause?: unknown;
}

/**
 * The one base of all errors here. The message says what happened, to what, and what to do; it is safe to show to a model. Of one above 20,000
 * characters, the middle is left out.
 *
 * @typeParam Code - of the engine, or of a client that has more of them.
 *
 * @example examples/first-tool/main.ts#error
 * ```ts
 * try {
 *   createEngine({ tools: [wordCount] });
 * } catch (error) {
 *   if (!ToolwrightError.is(error)) throw error;
 *   problem = `${error.code}: ${error.message}`;
 * }
 * ```
 */
export class ToolwrightError<Code extends string = ErrorCode> extends Error {
  readonly code: Code;
  readonly details: Json | undefined;
  readonly [brand] = true;

  constructor(code: Code, message: string, options: ErrorOptionsWithDetails = {}) {
    super(cutMessage(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ToolwrightError";
    this.code = code;
    this.details = options.details;
  }

  /** True for errors of this class, also when another copy of the package made them. */
  static is(error: unknown): error is ToolwrightError {
    return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[brand] === true;
  }
}
