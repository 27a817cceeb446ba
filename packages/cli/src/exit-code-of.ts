import type { CallResult, ErrorCode } from "@toolwright/engine";
import { type ErrorKind, errorCodes, formsByCode } from "@toolwright/engine/errors";
import { type ExitCode, exitCodes } from "./exit-code.ts";

/** An unknown name, or input that does not fit, is a mistake in the command line. */
const codesOfKinds: Readonly<Record<ErrorKind, ExitCode>> = {
  missing: exitCodes.usage,
  denied: exitCodes.denied,
  refused: exitCodes.failed,
  invalid: exitCodes.usage,
  failed: exitCodes.failed,
  conflict: exitCodes.failed,
  expired: exitCodes.failed,
  too_large: exitCodes.failed,
  limited: exitCodes.failed,
  timeout: exitCodes.failed,
  full: exitCodes.failed,
  unready: exitCodes.failed,
  unavailable: exitCodes.unavailable,
  unimplemented: exitCodes.failed,
  misconfigured: exitCodes.usage,
  broken: exitCodes.failed,
  defect: exitCodes.failed,
};

const codesOfErrors = formsByCode<ErrorCode, ErrorKind, ExitCode>(errorCodes, codesOfKinds, {
  // The command asks for what its own arguments or files rule out.
  duplicate_tool: exitCodes.usage,
  job_refused: exitCodes.usage,
  // A quota limits one caller; a disk is part of the machine.
  disk_full: exitCodes.unavailable,
});

/** The exit code for an error that ended the command. A server of a newer version may have codes that are not known here. */
export function exitCodeOfCode(code: ErrorCode): ExitCode {
  return Object.hasOwn(codesOfErrors, code) ? codesOfErrors[code] : exitCodes.failed;
}

/** The exit code for the result of a call: that of the command that its tool ran, where there is one. What a call lacked to run gives the code that the guide names for it. */
export function exitCodeOf(result: CallResult): number {
  if (result.status === "done") return result.exitCode ?? exitCodes.done;
  return result.status === "failed" ? exitCodeOfCode(result.error.code) : exitCodes[result.status];
}
