import type { LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import type { ToolResultPart } from "ai";

/** What a tool gave, as text, without files. */
export function textOfOutput(output: LanguageModelV4ToolResultOutput | ToolResultPart["output"]): string {
  if (output.type === "execution-denied") return `Denied: ${output.reason ?? "no reason given"}`;
  const value =
    output.type === "content" ? output.value.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n") : output.value;
  return typeof value === "string" ? value : JSON.stringify(value);
}
