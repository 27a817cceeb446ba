export { type ErrorCode, type ErrorOptionsWithDetails, ToolwrightError } from "../contract/errors.ts";
