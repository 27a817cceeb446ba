import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type ErrorCode, type ErrorKind, errorCodes, formsByCode } from "@toolwright/engine/errors";

/** `result`: a tool result with `isError`, which the model reads. A number: a JSON-RPC error, which the client handles. */
type WireForm = "result" | typeof ProtocolErrorCode.InvalidParams;

const forms: Readonly<Record<ErrorKind, WireForm>> = {
  missing: "result",
  denied: "result",
  refused: "result",
  invalid: "result",
  failed: "result",
  conflict: "result",
  expired: "result",
  too_large: "result",
  limited: "result",
  timeout: "result",
  full: "result",
  unready: "result",
  unavailable: "result",
  unimplemented: "result",
  misconfigured: "result",
  broken: "result",
  defect: "result",
};

/** MCP 2026-07-28, "Error handling": an unknown tool is a protocol error; what goes wrong with a tool is a result. */
export const wireForms: Readonly<Record<ErrorCode, WireForm>> = formsByCode(errorCodes, forms, {
  tool_not_found: ProtocolErrorCode.InvalidParams,
});
