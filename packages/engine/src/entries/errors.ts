export { type ErrorCode, type ErrorOptionsWithDetails, errorCodes, ToolwrightError } from "../contract/errors.ts";
