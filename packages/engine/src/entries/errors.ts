export {
  type DescribedCode,
  type ErrorCode,
  type ErrorKind,
  type ErrorOptionsWithDetails,
  errorCodes,
  errorRemedies,
  formsByCode,
  ToolwrightError,
} from "../contract/errors.ts";
