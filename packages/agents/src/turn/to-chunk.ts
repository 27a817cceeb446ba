import { type TextStreamPart, type ToolSet, toUIMessageChunk, type UIMessageChunk } from "ai";

/** Turns each part of the SDK's stream into what people see of it. The SDK's own stream of chunks would take each part through four streams more. */
export function chunksOf(tools: ToolSet): (part: TextStreamPart<ToolSet>) => UIMessageChunk | undefined {
  const invalid = new Set<string>();
  return (part) => {
    if (part.type === "tool-call" && part.invalid) invalid.add(part.toolCallId);
    // The chunk of its call holds the error.
    if (part.type === "tool-error" && !part.providerExecuted && invalid.delete(part.toolCallId)) return undefined;
    return toUIMessageChunk(part, { tools, sendReasoning: true, sendStart: false, sendFinish: false });
  };
}
