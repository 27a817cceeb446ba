import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { OpenedModel } from "../models/model-source.ts";
import { AnswerBrokeOff } from "./model-error.ts";
import { redactAnswer } from "./redact-answer.ts";
import { type Spent, usageOf } from "./turn-usage.ts";

interface AskingOnce {
  readonly model: Pick<OpenedModel, "id" | "model" | "keys">;
  /** A piece of the answer came. */
  readonly alive: () => void;
}

interface OneAnswer {
  readonly text: string;
  readonly usage: Spent;
}

/** Sends a request without tools. Rejects where it gives no text. */
export async function askOnce(request: LanguageModelV4CallOptions, { model: { id, model, keys }, alive }: AskingOnce): Promise<OneAnswer> {
  const { stream } = await model.doStream(request);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of redactAnswer(stream, { keys })) {
    alive();
    if (part.type === "error") throw part.error;
    parts.push(part);
  }
  const finish = parts.find((part) => part.type === "finish");
  const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  if (!finish || text.trim() === "") throw new AnswerBrokeOff();
  return { text, usage: usageOf({ id, usage: finish.usage, request, answer: text }) };
}
