import { subjectErrors } from "./generated/subject-errors.ts";
import type { Json } from "./json.ts";

/**
 * Every kind of error, with general advice; the message of an error gives the advice for its own case. Each door maps the kinds to its forms in one
 * exhaustive table.
 */
export const errorRemedies = {
  /** A name or id that the caller wrote names nothing for this principal. */
  missing: "Check the name, or list what there is now: it may have ended or been removed.",
  /** A permission, the policy or a person says no to all of what was asked. */
  denied: "Ask for the permission, or ask a person who has it.",
  /** A rule says no to one thing that was asked. */
  refused: "Ask for something that is permitted, or have the rule changed.",
  /** What was sent is not well formed, or does not fit. */
  invalid: "Correct what the message names, and send it again.",
  /** The request was right, and the server did its part: what it works on does not allow it. */
  failed: "Change what was asked for, or what it works on, and try again.",
  /** How something stands by now does not allow it. */
  conflict: "Read how it stands now, and go on from there.",
  /** It was possible for a time that is over. */
  expired: "Ask again.",
  too_large: "Send less at a time.",
  limited: "Wait, or use less: the message names the limit.",
  timeout: "Ask for less at a time, or have the limit raised.",
  full: "Make room, or have the quota raised.",
  /** What one call needs is in use, or not ready; others may go on. */
  unready: "Try again in a moment. If it stays so, ask the operator of the server.",
  /** What the server needs of its machine or its store is not there. */
  unavailable: "Ask the operator of the server for what the message names.",
  unimplemented: "Give the engine what the message names.",
  misconfigured: "Correct the setting that the message names.",
  /** Something that works otherwise broke off. */
  broken: "Check whether the call had an effect before you make it again. The log of the operator has the cause.",
  /** A tool or the engine does what it must not, until somebody changes its code. */
  defect: "Report it to the author. The log of the operator has the cause.",
} as const satisfies Readonly<Record<string, string>>;

export type ErrorKind = keyof typeof errorRemedies;

/** One line that says all of a code: its kind, of which every door has a form, and what it means. */
export interface DescribedCode<Kind extends string = ErrorKind> {
  readonly kind: Kind;
  readonly means: string;
}

/** Codes for failures of calls, tools and the engine itself. Each subject declares the codes of its own operations. */
export const ownErrors = {
  principal_invalid: { kind: "refused", means: "The principal is not well formed; nothing ran." },
  tool_not_found: { kind: "missing", means: "No tool of that name is visible to this principal." },
  invalid_input: { kind: "invalid", means: "The input does not fit the tool's schema." },
  input_too_large: { kind: "too_large", means: "The input is larger or deeper than the engine accepts." },
  rate_limited: { kind: "limited", means: "A rate or budget of the policy is used up." },
  limit_reached: { kind: "limited", means: "A person has as many of something as one may have; the message says what to do." },
  busy: { kind: "unready", means: "All places of a pool that people share are in use; the message says when to try again." },
  timeout: { kind: "timeout", means: "The call reached its total time limit." },
  idle_timeout: { kind: "timeout", means: "The call gave no sign of progress within its idle limit." },
  tool_failed: { kind: "failed", means: "The tool reported a failure of its own." },
  tool_error: { kind: "defect", means: "The tool threw an unexpected error." },
  invalid_output: { kind: "defect", means: "The tool returned a value that its output schema refuses." },
  output_not_json: { kind: "defect", means: "The tool returned a value that JSON cannot carry." },
  effect_refused: { kind: "refused", means: "The policy or a declared effect does not permit what the tool tried to do." },
  idempotency_mismatch: { kind: "failed", means: "The idempotency key was used before with another tool or other input." },
  idempotency_in_progress: { kind: "conflict", means: "The first call with this idempotency key has not ended yet." },
  call_not_found: { kind: "missing", means: "There is no call of that id that waits or runs on for this principal." },
  call_suspended: { kind: "conflict", means: "The call waits for an answer and makes no more calls until it runs again." },
  call_void: { kind: "conflict", means: "A suspended call cannot go on, because a definition that it depends on changed or is gone." },
  call_depth: { kind: "failed", means: "Calls inside calls are too many levels deep." },
  call_cycle: { kind: "failed", means: "A tool may not call itself, directly or through others." },
  call_tree_full: { kind: "failed", means: "The tree of calls has as many calls as it may have." },
  step_diverged: { kind: "conflict", means: "A step of a call was used for another call than before." },
  call_lost: { kind: "broken", means: "The process that ran the call ended before the call did; whether it had its effect is unknown." },
  call_handed_over: {
    kind: "unready",
    means: "The process that ran the call ends, and another one goes on with it; the same call with the same key finds it.",
  },
  path_refused: { kind: "refused", means: "The path is outside the workspace, protected, or not a plain name." },
  file_not_found: { kind: "failed", means: "There is no file or folder at that path." },
  not_a_file: { kind: "failed", means: "The path is not a regular file, or not a folder where one is needed." },
  file_too_large: { kind: "failed", means: "The file is larger than the limit." },
  file_changed: { kind: "failed", means: "The file changed since it was read." },
  file_exists: { kind: "failed", means: "There is already a file at that path." },
  workspace_missing: { kind: "unready", means: "The workspace folder is gone." },
  disk_full: { kind: "full", means: "The disk or quota is full." },
  command_refused: { kind: "refused", means: "The command may not run." },
  process_not_found: { kind: "failed", means: "No process of that id belongs to this session." },
  spawn_failed: { kind: "broken", means: "The program could not be started." },
  sandbox_unavailable: { kind: "unavailable", means: "The sandbox that the policy demands cannot be had on this machine." },
  limit_unenforceable: { kind: "unavailable", means: "The policy demands a limit that this machine cannot enforce." },
  url_refused: { kind: "refused", means: "The URL, host or address is not one that may be reached." },
  name_not_resolved: { kind: "failed", means: "The host name has no address." },
  connection_failed: { kind: "failed", means: "The connection failed." },
  response_too_large: { kind: "failed", means: "The response is larger than the limit." },
  too_many_redirects: { kind: "failed", means: "The server redirected more often than the limit." },
  definition_invalid: { kind: "invalid", means: "The tool definition is not well formed." },
  schema_refused: { kind: "invalid", means: "The tool's schema breaks a rule that providers enforce." },
  duplicate_tool: { kind: "conflict", means: "Two definitions have the same name." },
  load_failed: { kind: "broken", means: "The file could not be loaded as a tool." },
  settings_invalid: { kind: "misconfigured", means: "A setting of the server cannot be used." },
  server_unavailable: {
    kind: "unavailable",
    means: "What the server needs of its machine is not there: its port, its store, a folder that it may write.",
  },
  operation_not_found: { kind: "missing", means: "There is no operation of that name." },
  operation_not_allowed: { kind: "denied", means: "This principal may not use the operation; nothing happened." },
  operation_unavailable: { kind: "unimplemented", means: "The engine was not given what the operation works on." },
  internal: { kind: "defect", means: "A defect in the engine." },
} as const satisfies Readonly<Record<string, DescribedCode>>;

/** Every way in which the engine fails. Codes are stable: users match on them, and a code keeps its kind, which gives its form at each door. */
export const errorCodes = { ...ownErrors, ...subjectErrors };

/** Every code that a `ToolwrightError` can carry. A code keeps its meaning from release to release. */
export type ErrorCode = keyof typeof errorCodes;

/** The form of every code at a door: that of its kind, unless the door has another one for the code. */
export function formsByCode<Code extends string, Kind extends string, Form>(
  codes: Readonly<Record<Code, DescribedCode<Kind>>>,
  forms: Readonly<Record<Kind, Form>>,
  others?: Readonly<Partial<Record<Code, Form>>>,
): Readonly<Record<Code, Form>> {
  const form = (code: Code) => [code, others?.[code] ?? forms[codes[code].kind]] as const;
  return Object.fromEntries((Object.keys(codes) as Code[]).map(form)) as Record<Code, Form>;
}

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
