import { type Scope, ToolwrightError } from "@toolwright/engine";
import { InvalidToolInputError, type ToolCallRepairFunction, type ToolSet } from "ai";
import { describeDenial, withNotes } from "../describe-ending.ts";
import { brokenMember, type MakeCall } from "./make-tool.ts";

/** Brings what the SDK would refuse to the gate: broken JSON, and an unknown name as a call of its own, which the log then holds. */
export function makeRepair(scope: Scope, call: MakeCall | undefined): ToolCallRepairFunction<ToolSet> {
  return async ({ toolCall, error }) => {
    if (InvalidToolInputError.isInstance(error))
      return { ...toolCall, input: JSON.stringify(call ? toolCall.input : { [brokenMember]: toolCall.input }) };
    if (scope.find(toolCall.toolName))
      throw new ToolwrightError("tool_not_found", `Tool "${toolCall.toolName}" is not loaded yet. Search for it first, then call it.`);
    const { toolName: name, toolCallId } = toolCall;
    const input = readJson(toolCall.input);
    const result = await (call ? call({ name, input, toolCallId, options: {} }) : scope.invokeNamed(name, input));
    if (result.status === "failed") throw new ToolwrightError(result.error.code, result.error.message);
    if (result.status === "denied")
      throw new ToolwrightError("tool_not_found", withNotes(describeDenial(result), result), { details: { status: "denied" } });
    return null;
  };
}

/** What is no JSON stays the text that it is. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
