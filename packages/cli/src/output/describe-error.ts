import { ToolwrightError } from "@toolwright/engine/errors";
import { visibleText } from "@toolwright/engine/visible-text";
import { CliError } from "../cli-error.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { exitCodeOfCode } from "../exit-code-of.ts";

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  return ToolwrightError.is(error) ? exitCodeOfCode(error.code) : exitCodes.defect;
}

/** One paragraph for people; the stack and the causes only on request. What it quotes reaches no terminal as it came. */
export function describeError(error: unknown, verbose: boolean): string {
  const isForeseen = error instanceof CliError || ToolwrightError.is(error);
  const message = error instanceof Error ? error.message : String(error);
  const lines = [isForeseen ? message : `toolwright met a defect of its own: ${message}`];
  if (!isForeseen && !verbose) lines.push("Run it again with --verbose to see where, and report that.");
  if (verbose && error instanceof Error)
    lines.push(error.stack ?? "", ...(error.cause === undefined ? [] : ["Caused by:", describeCause(error.cause)]));
  return visibleText(lines.join("\n"));
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
