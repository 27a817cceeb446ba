import type { CallResult, ContentBlock } from "@toolwright/engine";
import type { ToolResultPart } from "ai";
import { describeDenial, describeError, describeNotes, describePending, lostAnswer, withNotes } from "../describe-ending.ts";
import type { ToolOutput } from "./stream-call.ts";

type ModelOutput = ToolResultPart["output"];

/** What the model reads of a call: the tool's own view, or in words why there is none. */
export function toModelOutput(output: ToolOutput): ModelOutput {
  switch (output.status) {
    case "done":
      return writeContent(output.content, describeNotes(output));
    case "denied":
      return { type: "execution-denied", reason: withNotes(describeDenial(output), output) };
    case "failed":
      return failure(describeError(output.error), output);
    case "unknown":
      return failure(`${describeError(output.error)}\n${lostAnswer}`, output);
    case "pending":
      return failure(describePending(output, "A person answers it at any door."), output);
    case "cancelled":
      return failure(`Cancelled: ${output.reason}`, output);
    case "running":
      return { type: "error-text", value: "The call was interrupted before it ended; how it ended is in the log." };
  }
}

function failure(text: string, result: CallResult): ModelOutput {
  return { type: "error-text", value: withNotes(text, result) };
}

/** Text alone is sent as text: some providers write any other content as JSON. */
function writeContent(blocks: readonly ContentBlock[], notes: string | undefined): ModelOutput {
  const all: readonly ContentBlock[] = notes === undefined ? blocks : [...blocks, { type: "text", text: notes }];
  if (!all.some(({ type }) => type === "image" || type === "audio")) return { type: "text", value: all.map(writeBlock).join("\n") };
  const value = all.map((block) =>
    block.type === "image" || block.type === "audio"
      ? { type: "file" as const, data: { type: "data" as const, data: block.data }, mediaType: block.mimeType }
      : { type: "text" as const, text: writeBlock(block) },
  );
  return { type: "content", value };
}

function writeBlock(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return `${block.name}: ${block.uri}`;
  return block.type === "resource" ? (block.resource.text ?? block.resource.uri) : "";
}
