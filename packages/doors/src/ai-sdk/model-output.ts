import type { CallResult, ContentBlock, DoneResult, MediaBlock } from "@toolwright/engine";
import type { ToolResultPart } from "ai";
import { describeDenial, describeError, describeNotes, describePending, lostAnswer, withNotes } from "../describe-ending.ts";
import type { ToolOutput } from "./stream-call.ts";

type ModelOutput = ToolResultPart["output"];

/** How pictures and sounds of a result go to the model: as parts of it, pictures as parts and a line for each sound, or a line for each of both. */
export type ResultFiles = "parts" | "pictures" | "words";

/** What the model reads of a call: the tool's own view, or in words why there is none. */
export function toModelOutput(output: ToolOutput, files: ResultFiles = "parts"): ModelOutput {
  switch (output.status) {
    case "done":
      return writeContent(output, files);
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
function writeContent(result: DoneResult, files: ResultFiles): ModelOutput {
  const notes = describeNotes(result);
  const all: readonly ContentBlock[] = notes === undefined ? result.content : [...result.content, { type: "text", text: notes }];
  const write = (block: ContentBlock) => writeBlock(block, result);
  const isPart = (block: ContentBlock): block is MediaBlock =>
    files !== "words" && (block.type === "image" || (files === "parts" && block.type === "audio"));
  if (!all.some(isPart)) return { type: "text", value: all.map(write).join("\n") };
  const value = all.map((block) => {
    if (!isPart(block)) return { type: "text" as const, text: write(block) };
    const artifact = artifactOf(block, result)?.id;
    return {
      ...{ type: "file" as const, data: { type: "data" as const, data: block.data }, mediaType: block.mimeType },
      ...(artifact !== undefined && { providerOptions: { toolwright: { artifact } } }),
    };
  });
  return { type: "content", value };
}

function writeBlock(block: ContentBlock, result: DoneResult): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return `${block.name}: ${block.uri}`;
  if (block.type === "resource") return block.resource.text ?? block.resource.uri;
  const { id } = artifactOf(block, result) ?? {};
  return `[${block.mimeType}, ${sizeOf(block)} bytes${id === undefined ? "" : `, artifact ${id}`}: its content is not shown.]`;
}

/** What the call kept of the same bytes. */
const artifactOf = (block: MediaBlock, { artifacts }: DoneResult) =>
  artifacts.find(({ mediaType, size }) => mediaType === block.mimeType && size === sizeOf(block));

const sizeOf = ({ data }: MediaBlock) => Buffer.byteLength(data, "base64");
