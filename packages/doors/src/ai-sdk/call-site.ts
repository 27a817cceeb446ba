import { digest } from "@toolwright/engine/ports";
import type { ModelMessage } from "ai";

/** Where in a conversation the model made a call. */
export interface CallSite {
  /** Names the call among all of its caller: conversation, step and tool call id, as ids repeat. */
  readonly key: string;
  /** True when the messages hold the call already and no result of it: the conversation goes on where it stopped. */
  readonly again: boolean;
}

/** Finds a call in the messages that the SDK has at hand; one that is new belongs to the step after them. */
export function siteOf(toolCallId: string, messages: readonly ModelMessage[], conversation: string): CallSite {
  const made = messages.findLastIndex((message) => partsOf(message, "tool-call").some((part) => part.toolCallId === toolCallId));
  const again = made >= 0 && !isAnswered(toolCallId, messages.slice(made + 1));
  const step = (again ? messages.slice(0, made) : messages).filter(({ role }) => role === "assistant").length;
  return { key: `ai-sdk:${digest([conversation, step, toolCallId])}`, again };
}

/** True when a result of the call is among the messages. */
export function isAnswered(toolCallId: string, messages: readonly ModelMessage[]): boolean {
  return messages.some((message) => partsOf(message, "tool-result").some((part) => part.toolCallId === toolCallId));
}

type Part = Exclude<ModelMessage["content"], string>[number];

/** The parts of one type in a message; none in one that is a text. */
export function partsOf<Type extends Part["type"]>({ content }: ModelMessage, type: Type): Extract<Part, { type: Type }>[] {
  if (typeof content === "string") return [];
  return (content as readonly Part[]).filter((part): part is Extract<Part, { type: Type }> => part.type === type);
}
