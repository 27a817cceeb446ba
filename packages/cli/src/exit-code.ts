import type { CallResult } from "@toolwright/engine";

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

/** A name or input that does not exist is a mistake in the command line, whatever found it. */
export function exitCodeOf(result: CallResult): ExitCode {
  if (result.status !== "failed") return exitCodes[result.status];
  return result.error.code === "tool_not_found" || result.error.code === "invalid_input" ? exitCodes.usage : exitCodes.failed;
}
