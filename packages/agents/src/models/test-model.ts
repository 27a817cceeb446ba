import type { JSONObject, LanguageModelV4CallOptions, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelCheck } from "../contract/model-inspector.ts";
import { describeModelError } from "../turn/model-error.ts";
import type { ModelSite, ModelSource, OpenedModel } from "./model-source.ts";

/**
 * Asks a model twice, for a text and for a call of a tool, and says what it can: whether it answers, whether answers come in pieces, whether it
 * calls tools, and whether it counts tokens. Never rejects for what the model does.
 */
export async function testModel(
  source: ModelSource,
  id: string,
  { signal, ...site }: ModelSite & { readonly signal?: AbortSignal },
): Promise<readonly ModelCheck[]> {
  const abort = signal && { abortSignal: signal };
  try {
    const opened = await source.open(id, site);
    const text = await ask(opened, { ...asking("Count from one to ten, in words."), ...abort });
    if (text.error !== undefined) return unreached(describeModelError(text.error, opened).message);
    const call = await ask(opened, {
      ...asking('Call the tool echo with the text "ping":\ncall echo {"text":"ping"}'),
      tools: [echo],
      ...abort,
    });
    const reach = { name: "reach" as const, ok: true, message: `The model ${id} answers.` };
    return [reach, checkStreaming(text), checkTools(call, opened), checkUsage(text)];
  } catch (error) {
    return unreached(describeModelError(error, { id }).message);
  }
}

const echo: NonNullable<LanguageModelV4CallOptions["tools"]>[number] = {
  type: "function",
  name: "echo",
  description: "Gives back a text.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
};

const asking = (text: string): Pick<LanguageModelV4CallOptions, "prompt"> => ({
  prompt: [
    { role: "system", content: "This is a test of the connection. Do what the message asks, and no more." },
    { role: "user", content: [{ type: "text", text }] },
  ],
});

interface Answer {
  readonly error?: unknown;
  readonly pieces: number;
  readonly calls: readonly { readonly name: string; readonly input: string }[];
  readonly usage?: LanguageModelV4Usage;
}

async function ask({ model, mark = (request) => request }: OpenedModel, request: LanguageModelV4CallOptions): Promise<Answer> {
  try {
    const { stream } = await model.doStream(mark(request));
    const parts: LanguageModelV4StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    const failed = parts.find((part) => part.type === "error");
    const finish = parts.find((part) => part.type === "finish");
    return {
      ...(failed && { error: failed.error }),
      pieces: parts.filter((part) => part.type === "text-delta" && part.delta !== "").length,
      calls: parts.flatMap((part) => (part.type === "tool-call" ? [{ name: part.toolName, input: part.input }] : [])),
      ...(finish && { usage: finish.usage }),
    };
  } catch (error) {
    return { error, pieces: 0, calls: [] };
  }
}

function unreached(message: string): readonly ModelCheck[] {
  const untried = (name: ModelCheck["name"]) => ({ name, ok: false, message: "Not tried, since the model does not answer." });
  return [{ name: "reach", ok: false, message }, untried("streaming"), untried("tools"), untried("usage")];
}

function checkStreaming({ pieces }: Answer): ModelCheck {
  const ok = pieces > 1;
  const message = ok ? `Answers come in pieces: ${pieces} of them.` : "Answers come whole: people see nothing of them before they end.";
  return { name: "streaming", ok, message };
}

function checkTools({ error, calls }: Answer, opened: OpenedModel): ModelCheck {
  const name = "tools";
  if (error !== undefined) {
    const { message } = describeModelError(error, opened);
    return { name, ok: false, message: `With a tool in the request: ${message} Agents need a model that calls tools.` };
  }
  const [call] = calls;
  if (!call) return { name, ok: false, message: "It did not call the tool that it was asked to call. Agents need a model that does." };
  const ok = call.name === "echo" && readText(call.input) !== undefined;
  return {
    name,
    ok,
    message: ok ? "It calls tools." : "It calls tools with input that does not fit their schema. Calls are repaired or refused.",
  };
}

function readText(input: string): string | undefined {
  try {
    const { text } = JSON.parse(input) as JSONObject;
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function checkUsage({ usage }: Answer): ModelCheck {
  const [input, output] = [usage?.inputTokens.total, usage?.outputTokens.total];
  const ok = input !== undefined && output !== undefined;
  const message = ok
    ? `It counts tokens: ${input} in, ${output} out.`
    : "It does not count tokens: they are estimated from the length of texts.";
  return { name: "usage", ok, message };
}
