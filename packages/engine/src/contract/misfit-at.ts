import { type ErrorCode, ToolwrightError } from "./errors.ts";

/** The error of one member of an input, for a JSON pointer: forms show it beside that field. */
export function misfitAt(path: string, code: ErrorCode, message: string): ToolwrightError {
  return new ToolwrightError(code, message, { details: [{ path, message }] });
}
