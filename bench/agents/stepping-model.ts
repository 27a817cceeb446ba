import { setTimeout as pause } from "node:timers/promises";
import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";

export interface Stepping {
  /** Answers that call the tool, before the one that is text. */
  readonly toolSteps: number;
  /** That adds two numbers; others in each call, since calls that repeat end a turn. Default: `add`. */
  readonly tool?: string;
  /** Milliseconds of a request. Default 0. */
  readonly requestMs?: number;
}

const usage = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } };

/** A model in memory: how far a conversation is, is in the request itself, so that any number of them may run at once. */
export function steppingModel({ toolSteps, tool = "add", requestMs = 0 }: Stepping): LanguageModelV4 {
  const answer = (step: number): LanguageModelV4StreamPart[] =>
    step < toolSteps
      ? [{ type: "tool-call", toolCallId: `call_${step + 1}`, toolName: tool, input: JSON.stringify({ a: step, b: 2 }) }]
      : [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: "Done." },
          { type: "text-end", id: "1" },
        ];
  const model = {
    ...{ specificationVersion: "v4", provider: "bench", modelId: "stepping", supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error("Everybody streams here.")),
    async doStream({ prompt }: { readonly prompt: LanguageModelV4Prompt }) {
      if (requestMs > 0) await pause(requestMs);
      const step = prompt.filter(({ role }) => role === "tool").length;
      const finishReason = { unified: step < toolSteps ? "tool-calls" : "stop", raw: "end" };
      return {
        stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...answer(step), { type: "finish", finishReason, usage }]),
      };
    },
  };
  return model as unknown as LanguageModelV4;
}
