import type { CallResult } from "@toolwright/engine";
import type { AssistantModelMessage, ModelMessage, ToolModelMessage, ToolResultPart } from "ai";
import type { OfferedTools } from "./offer-tools.ts";
import { callsOf, type StoredPart } from "./stored-response.ts";

type AssistantPart = Exclude<AssistantModelMessage["content"], string>[number];

interface Unfinished {
  readonly parts: readonly StoredPart[];
  /** How calls of it ended, by their ids. */
  readonly results: ReadonlyMap<string, CallResult>;
  /** What the model is told of a call that did not end. */
  readonly words: string;
}

/**
 * The messages of a step that is not finished: every call has a result, since providers refuse a conversation in which one is missing. What was
 * said so far is kept.
 */
export function closeStep({ parts, results, words }: Unfinished, { write }: Pick<OfferedTools, "write">): readonly ModelMessage[] {
  const content = parts.flatMap(toAssistantPart);
  if (content.length === 0) return [];
  const made = callsOf({ parts });
  const answers = made.map(({ toolCallId, toolName }): ToolResultPart => {
    const result = results.get(toolCallId);
    return { type: "tool-result", toolCallId, toolName, output: result ? write(result) : { type: "error-text", value: words } };
  });
  const said: AssistantModelMessage = { role: "assistant", content };
  return answers.length === 0 ? [said] : [said, { role: "tool", content: answers } satisfies ToolModelMessage];
}

/** The SDK's messages of a step as requests hold them: without blank text, and with the gate's words for calls that the SDK itself refused. */
export function messagesOfStep(
  messages: readonly ModelMessage[],
  results: Unfinished["results"],
  { write }: Pick<OfferedTools, "write">,
): readonly ModelMessage[] {
  return messages.flatMap((message): readonly ModelMessage[] => {
    if (message.role === "assistant") return withoutBlanks(message);
    if (message.role !== "tool") return [message];
    const content = message.content.map((part) => {
      const result = part.type === "tool-result" && part.output.type.startsWith("error-") ? results.get(part.toolCallId) : undefined;
      return result ? { ...part, output: write(result) } : part;
    });
    return [{ ...message, content } as ToolModelMessage];
  });
}

function withoutBlanks(message: AssistantModelMessage): readonly AssistantModelMessage[] {
  if (typeof message.content === "string") return hasWord(message.content) ? [message] : [];
  const content = message.content.filter((part) => part.type !== "text" || hasWord(part.text));
  return content.length === 0 ? [] : [{ ...message, content }];
}

/** Providers refuse text without a word, also lines that a model put before a call. */
export const hasWord = (text: string) => text.trim() !== "";

/** Reasoning without a word is sealed, and has to go back. */
function toAssistantPart(part: StoredPart): AssistantPart[] {
  const providerOptions = "providerMetadata" in part && part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
  if (part.type === "reasoning") return [{ type: "reasoning", text: part.text, ...providerOptions }];
  if (part.type === "text") return hasWord(part.text) ? [{ type: "text", text: part.text, ...providerOptions }] : [];
  if (part.type !== "tool-call" || part.providerExecuted) return [];
  const { toolCallId, toolName } = part;
  return [{ type: "tool-call", toolCallId, toolName, input: readInput(part.input), ...providerOptions }];
}

/** What is no JSON stays the text that it is. */
function readInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
