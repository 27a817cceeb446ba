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
