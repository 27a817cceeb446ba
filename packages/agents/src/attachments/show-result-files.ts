import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { OpenedModel } from "../models/model-source.ts";
import { typeOf, whyNotShown } from "./media-type.ts";

type Value = Extract<LanguageModelV4ToolResultOutput, { readonly type: "content" }>["value"][number];
type FileValue = Extract<Value, { readonly type: "file" }>;

interface ResultFilesTo {
  readonly files: NonNullable<OpenedModel["files"]>;
  readonly takesFilesInResults: boolean;
}

/** True for results with pictures, sound or documents beside their text. */
export const hasResultFile = (message: LanguageModelV4Message) =>
  message.role === "tool" && message.content.some((part) => part.type === "tool-result" && filesOf(part.output).length > 0);

const filesOf = (output: LanguageModelV4ToolResultOutput) =>
  output.type === "content" ? output.value.filter((part) => part.type === "file") : [];

/**
 * Shows files of results where the provider's wire takes them: in the result, or in a message after all results of the step. A line stands for one that the
 * model does not take; no file is ever text.
 */
export function showResultFiles(prompt: LanguageModelV4Prompt, to: ResultFilesTo): LanguageModelV4Prompt {
  return prompt.flatMap((message) => (hasResultFile(message) ? showInMessage(message, to) : [message]));
}

function showInMessage(message: LanguageModelV4Message, to: ResultFilesTo): LanguageModelV4Message[] {
  if (message.role !== "tool") return [message];
  const after: LanguageModelV4FilePart[] = [];
  const content = message.content.map((part) => (part.type === "tool-result" ? showInResult(part, to, after) : part));
  if (after.length === 0) return [{ ...message, content }];
  const about = { type: "text" as const, text: "[Files of the results above, in their order:]" };
  return [
    { ...message, content },
    { role: "user", content: [about, ...after] },
  ];
}

/** `after`: takes the files that follow the results. */
function showInResult(
  part: LanguageModelV4ToolResultPart,
  { files, takesFilesInResults }: ResultFilesTo,
  after: LanguageModelV4FilePart[],
): LanguageModelV4ToolResultPart {
  const { output } = part;
  if (output.type !== "content" || filesOf(output).length === 0) return part;
  const value = output.value.map((each): Value => {
    if (each.type !== "file") return each;
    const shown = readFile(each, files);
    if (!shown) return { type: "text", text: `[${describe(each)}. ${whyNotShown(each.mediaType, files)}]` };
    if (takesFilesInResults) return { ...each, mediaType: shown.mediaType };
    after.push(shown);
    return { type: "text", text: `[${describe(each)}. It follows the results, as file ${after.length}.]` };
  });
  if (value.some(({ type }) => type === "file")) return { ...part, output: { ...output, value } };
  // A text: some wires write anything else as JSON.
  const text = value.map((each) => (each.type === "text" ? each.text : "")).join("\n");
  return { ...part, output: { type: "text", value: text } };
}

/** By its first bytes, which tools and servers may name otherwise; undefined for one that the model does not take. */
function readFile({ data }: FileValue, files: ResultFilesTo["files"]): LanguageModelV4FilePart | undefined {
  if (data.type !== "data") return undefined;
  const beginning = typeof data.data === "string" ? Buffer.from(data.data.slice(0, 32), "base64") : data.data;
  const type = typeOf(beginning) ?? "";
  return sizeOf(data.data) <= (files[type] ?? 0) ? { type: "file", mediaType: type, data } : undefined;
}

function describe({ data, mediaType, providerOptions }: FileValue): string {
  const { artifact } = providerOptions?.toolwright ?? {};
  const size = data.type === "data" ? `, ${sizeOf(data.data)} bytes` : "";
  return `File of this result: ${mediaType.replace(/[^\w/.+-]/g, " ")}${size}${typeof artifact === "string" ? `, artifact ${artifact}` : ""}`;
}

/** Bytes, also of base64. */
const sizeOf = (data: Uint8Array | string) => (typeof data === "string" ? Buffer.byteLength(data, "base64") : data.length);
