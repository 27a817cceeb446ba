import type { CallResult, ErrorCode } from "@toolwright/engine";

/** What the exit code of a command says. They are part of the interface: scripts branch on them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  pending: 4,
  cancelled: 5,
  unknown: 6,
  /** What the command needs is not there: the port is taken, the sandbox is missing. */
  unavailable: 69,
  defect: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A name that is not there, or input that does not fit, is a mistake in the command line, whatever found it. */
const usage: ReadonlySet<ErrorCode> = new Set([
  "settings_invalid",
  "policy_invalid",
  "tenant_not_found",
  "tool_not_found",
  "invalid_input",
  "approval_not_found",
  "grant_not_found",
  "artifact_not_found",
  "run_not_found",
  "operation_not_found",
  "catalogue_not_found",
  "catalogue_refused",
  "definition_invalid",
  "schema_refused",
  "duplicate_tool",
  "job_not_found",
  "job_refused",
  "identity_not_found",
  "identity_refused",
]);

const unavailable: ReadonlySet<ErrorCode> = new Set([
  "sandbox_unavailable",
  "limit_unenforceable",
  "disk_full",
  "store_in_use",
  "store_unreachable",
  "server_unavailable",
]);

/** Of an error that ended the command. */
export function exitCodeOfCode(code: ErrorCode): ExitCode {
  if (usage.has(code)) return exitCodes.usage;
  if (code === "operation_not_allowed") return exitCodes.denied;
  return unavailable.has(code) ? exitCodes.unavailable : exitCodes.failed;
}

/** The exit code for the result of a call: that of the command that its tool ran, where there is one. What a call lacked to run gives the code that the guide names for it. */
export function exitCodeOf(result: CallResult): number {
  if (result.status === "done") return result.exitCode ?? exitCodes.done;
  return result.status === "failed" ? exitCodeOfCode(result.error.code) : exitCodes[result.status];
}
