import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { ModelProvider } from "./model-source.ts";
import { textOfOutput } from "./output-text.ts";

/** What every answer begins with: nobody takes it for a model's. */
const mark = "[demo model, no AI]";
const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: 0, reasoning: undefined },
};

/**
 * A program in the place of a model, for a server without a key: it calls the tools that the message names, `call TOOL JSON` on a line each, and
 * then says what they gave. The same message always gets the same answer.
 */
export function demoModels(): ModelProvider {
  return {
    name: "demo",
    needs: [],
    open: async (name) => ({ id: `demo/${name}`, model: demoModel(name), target: "json-schema-2020-12" }),
  };
}

function demoModel(modelId: string): LanguageModelV4 {
  const answer = (options: LanguageModelV4CallOptions) => [...partsFor(options)];
  return {
    specificationVersion: "v4",
    provider: "demo",
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      const parts = answer(options);
      const content = parts.flatMap(toContent);
      return { content, finishReason: finishOf(parts), usage, warnings: [] };
    },
    async doStream(options) {
      const parts = answer(options);
      const all: LanguageModelV4StreamPart[] = [
        { type: "stream-start", warnings: [] },
        ...parts,
        { type: "finish", usage, finishReason: finishOf(parts) },
      ];
      return { stream: ReadableStream.from(all) };
    },
  };
}

function toContent(part: LanguageModelV4StreamPart): LanguageModelV4Content[] {
  if (part.type === "text-delta") return [{ type: "text", text: part.delta }];
  return part.type === "tool-call" ? [part] : [];
}

const finishOf = (parts: readonly LanguageModelV4StreamPart[]) => {
  const unified = parts.some(({ type }) => type === "tool-call") ? ("tool-calls" as const) : ("stop" as const);
  return { unified, raw: unified };
};

function* partsFor({ prompt, toolChoice }: LanguageModelV4CallOptions): Generator<LanguageModelV4StreamPart> {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const results = prompt.slice(asked + 1).flatMap(resultsIn);
  const wanted = callsIn(textOf(prompt[asked]));
  if (results.length === 0 && wanted.length > 0 && toolChoice?.type !== "none") {
    const turn = prompt.length;
    for (const [index, { tool, input }] of wanted.entries())
      yield { type: "tool-call", toolCallId: `demo_${turn}_${index + 1}`, toolName: tool, input };
    return;
  }
  yield { type: "text-start", id: "1" };
  for (const delta of sayAbout(results, textOf(prompt[asked]))) yield { type: "text-delta", id: "1", delta };
  yield { type: "text-end", id: "1" };
}

function* sayAbout(results: readonly string[], message: string): Generator<string> {
  yield `${mark} `;
  if (results.length === 0) yield `You wrote: ${message}\nTo see a tool run, write: call file_list {"path":"."}`;
  else yield results.join("\n");
}

interface WantedCall {
  readonly tool: string;
  readonly input: string;
}

/** Lines such as `call exec {"command":"git push"}`; without JSON the input is empty. */
function callsIn(text: string): readonly WantedCall[] {
  return text.split("\n").flatMap((line) => {
    const [, tool, input = "{}"] = /^\s*call\s+([A-Za-z0-9_-]+)\s*(\S.*)?$/.exec(line) ?? [];
    return tool === undefined ? [] : [{ tool, input }];
  });
}

function textOf(message: LanguageModelV4Prompt[number] | undefined): string {
  if (message?.role !== "user") return "";
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function resultsIn(message: LanguageModelV4Prompt[number]): readonly string[] {
  if (message.role !== "tool") return [];
  return message.content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    return [`${part.toolName}: ${textOfOutput(part.output)}`];
  });
}
