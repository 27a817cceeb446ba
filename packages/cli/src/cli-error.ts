import { type ErrorCode, ToolwrightError } from "@toolwright/engine";
import { type ExitCode, exitCodes } from "./exit-code.ts";

/** A command line that cannot be done. The message says what happened, to what, and what to do. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, options: { readonly exitCode?: ExitCode; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CliError";
    this.exitCode = options.exitCode ?? exitCodes.usage;
  }
}

const unavailable: ReadonlySet<ErrorCode> = new Set(["sandbox_unavailable", "disk_full", "store_in_use", "store_unreachable"]);

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (!ToolwrightError.is(error)) return exitCodes.defect;
  return unavailable.has(error.code) ? exitCodes.unavailable : exitCodes.failed;
}

/** One paragraph for people; the stack and the causes only on request. */
export function describeError(error: unknown, verbose: boolean): string {
  const isForeseen = error instanceof CliError || ToolwrightError.is(error);
  const message = error instanceof Error ? error.message : String(error);
  const lines = [isForeseen ? message : `toolwright met a defect of its own: ${message}`];
  if (!isForeseen && !verbose) lines.push("Run it again with --verbose to see where, and report that.");
  if (verbose && error instanceof Error)
    lines.push(error.stack ?? "", ...(error.cause === undefined ? [] : ["Caused by:", describeCause(error.cause)]));
  return lines.join("\n");
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
