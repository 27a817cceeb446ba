import type { ModelMessage, ToolModelMessage, ToolResultPart } from "ai";
import { textOfOutput } from "../models/output-text.ts";
import { estimateOf } from "./turn-usage.ts";

/** What requests of a conversation hold in the place of some of its messages, which stay as they are. As JSON in the store. */
export interface Shortened {
  /** How many of the first messages `head` stands for. */
  readonly until: number;
  readonly head: readonly ModelMessage[];
  /** Results in whose place there is a line. */
  readonly lines: readonly ShortResult[];
}

/** Where a result stands: its message in the conversation, and its part in that, both from 0. */
interface ResultPosition {
  readonly message: number;
  readonly part: number;
}

interface ShortResult extends ResultPosition {
  readonly line: string;
}

export const whole: Shortened = { until: 0, head: [], lines: [] };

/** The messages of a request. The same conversation gives the same bytes, however much was said since. */
export function shorten(conversation: readonly ModelMessage[], { until, head, lines }: Shortened): ModelMessage[] {
  const shown = [...conversation];
  for (const { message: at, part, line } of lines) {
    const message = shown[at];
    if (message?.role === "tool") shown[at] = withLine(message, part, line);
  }
  return [...head, ...shown.slice(until)];
}

function withLine(message: ToolModelMessage, at: number, line: string): ToolModelMessage {
  const content = message.content.map((part, index) =>
    index === at && part.type === "tool-result" ? { ...part, output: { type: "text" as const, value: line } } : part,
  );
  return { ...message, content };
}

/** Steps that requests hold whole. */
const wholeSteps = 3;

/** Where they begin: with an answer of the model, so that no call is parted from its result. 0 where there are no more than those. */
export function beginOfWhole(conversation: readonly ModelMessage[]): number {
  const answers = conversation.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  return answers.at(-wholeSteps) ?? 0;
}

interface LargeResult extends ResultPosition {
  readonly tool: string;
  readonly text: string;
  /** False for a text that stays, where files alone are left out. */
  readonly isLong: boolean;
  readonly files: number;
}

/** Tokens of a result that stays. */
const mostTokens = 2_000;

/** Results that may become a line each, and those whose files may be left out. */
export function largeResults(conversation: readonly ModelMessage[], { until, lines }: Shortened): readonly LargeResult[] {
  const known = new Set(lines.map(({ message, part }) => `${message} ${part}`));
  return conversation.slice(0, beginOfWhole(conversation)).flatMap((message, at) => {
    if (message.role !== "tool" || at < until) return [];
    return message.content.flatMap((result, part) => {
      if (result.type !== "tool-result" || known.has(`${at} ${part}`)) return [];
      const text = textOfOutput(result.output);
      const isLong = estimateOf(text) > mostTokens;
      const files = filesOf(result);
      return isLong || files > 0 ? [{ message: at, part, tool: result.toolName, text, isLong, files }] : [];
    });
  });
}

const filesOf = ({ output }: ToolResultPart) => (output.type === "content" ? output.value.filter(({ type }) => type !== "text").length : 0);

/** What a person said last before the messages from `end` on, which have to know it. */
export function lastQuestion(conversation: readonly ModelMessage[], end: number): readonly ModelMessage[] {
  if (conversation.slice(end).some(({ role }) => role === "user")) return [];
  const asked = conversation.slice(0, end).findLast(({ role }) => role === "user");
  return asked ? [asked] : [];
}
