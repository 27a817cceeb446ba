import { type CallResult, type Json, type JsonObject, ToolwrightError } from "@toolwright/engine";
import type { LanguageModel, ModelMessage } from "ai";
import { answerOf, type DoorAdapter, type DoorAnswer, type OfferedTool } from "./door-adapter.ts";

/** The door of the AI SDK 7, in `generateText`. Name it among the `doors` of the suite where `ai` is installed. */
export const aiSDKDoor: DoorAdapter = {
  name: "ai sdk 7",
  target: "json-schema-2020-12",
  leavesOut: {
    decision: "An approval request and a denial of the SDK hold one text: reason and rule, not the layer.",
    approval: "An approval request of the SDK has an id of its own; its text names our approval.",
  },
  async open(world) {
    const sdk = await import("ai");
    const { answersFor, toAISDK } = await import("../ai-sdk/index.ts");
    const scope = world.engine.scope(world.principal, { session: world.session });
    const heard: string[] = [];
    const waiting = new Map<string, readonly ModelMessage[]>();
    const ask: readonly ModelMessage[] = [{ role: "user", content: "Go." }];
    const generate = async (messages: readonly ModelMessage[], model: LanguageModel) => {
      const settings = toAISDK(scope, { budget: Number.POSITIVE_INFINITY });
      const result = await sdk.generateText({ ...settings, model, messages: [...messages], stopWhen: sdk.isStepCount(1) });
      const all = [...messages, ...result.responseMessages];
      heard.push(JSON.stringify([result.content, all]));
      return { content: result.content, all };
    };
    let calls = 0;
    return {
      async list() {
        const offered: OfferedTool[] = [];
        await generate(ask, modelThat({ offered }));
        heard.push(JSON.stringify(offered));
        return offered;
      },
      async call(name, input) {
        calls += 1;
        const { content, all } = await generate(ask, modelThat({ call: { id: `call_${calls}`, name, input } }));
        const answer = readContent(content as readonly Told[]);
        if (answer.approval) waiting.set(answer.approval.id, all);
        return answer;
      },
      async resume(approvalId) {
        const messages = waiting.get(approvalId) ?? [];
        const answers = await answersFor(messages, scope);
        let result: CallResult | undefined;
        const settings = toAISDK(scope);
        await sdk.generateText({
          ...settings,
          model: modelThat({}),
          messages: [...messages, { role: "tool", content: answers }],
          onToolExecutionEnd: ({ toolOutput }) => {
            if (toolOutput.type === "tool-result") result = toolOutput.output as CallResult;
          },
        });
        heard.push(JSON.stringify(result ?? answers));
        return result ? answerOf(result) : denialOf(answers[0]?.reason ?? "");
      },
      heard: () => heard.splice(0).join("\n"),
      close: async () => {},
    };
  },
};

/** False: `aiSDKDoor` cannot be opened here. */
export function isAISDKInstalled(): Promise<boolean> {
  return import("ai").then(
    () => true,
    () => false,
  );
}

interface Told {
  readonly type: string;
  readonly output?: unknown;
  readonly error?: { readonly cause?: unknown };
  readonly reason?: string;
  readonly approved?: boolean;
}

/** What the program was told of the one call of a step. */
function readContent(content: readonly Told[]): DoorAnswer {
  const result = content.find(({ type }) => type === "tool-result");
  if (result) return answerOf(result.output as CallResult);
  const refused = content.find(({ type, error }) => type === "tool-call" && error)?.error?.cause;
  if (ToolwrightError.is(refused)) return refused.details === undefined ? failureOf(refused) : denialOf(refused.message);
  const denial = content.find(({ type, approved }) => type === "tool-approval-response" && approved === false);
  if (denial) return denialOf(denial.reason ?? "");
  const { reason = "" } = content.find(({ type }) => type === "tool-approval-request") ?? {};
  return { ...denialOf(reason), status: "pending", approval: { id: approvalIn(reason), summary: "", reason } };
}

const approvalIn = (reason: string) => /\(approval (\S+)\)/.exec(reason)?.[1] ?? "";

function failureOf({ code, message }: ToolwrightError): DoorAnswer {
  return { status: "failed", repaired: [], notes: [], artifacts: [], error: { code, message } };
}

function denialOf(text: string): DoorAnswer {
  const notes = text.split("\nNote: ").slice(1);
  const repaired = notes.flatMap((note) => /^The input was repaired at (\S*):/.exec(note)?.[1] ?? []);
  return { status: "denied", repaired, notes, artifacts: [] };
}

interface Doing {
  /** Takes the tools that the model is offered. */
  readonly offered?: OfferedTool[];
  readonly call?: { readonly id: string; readonly name: string; readonly input: Json };
}

interface ModelCall {
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly inputSchema: JsonObject }[];
}

/** A model in the process that makes one call, or says a word. */
function modelThat({ offered, call }: Doing): LanguageModel {
  const model = {
    specificationVersion: "v4",
    provider: "conformance",
    modelId: "scripted",
    supportedUrls: {},
    async doGenerate({ tools = [] }: ModelCall) {
      offered?.push(...tools.map(({ name, description = "", inputSchema }) => ({ name, description, inputSchema })));
      const content = call
        ? { type: "tool-call", toolCallId: call.id, toolName: call.name, input: JSON.stringify(call.input) }
        : { type: "text", text: "Done." };
      return {
        content: [content],
        finishReason: { unified: call ? "tool-calls" : "stop", raw: undefined },
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error("The suite does not stream.")),
  };
  return model as unknown as LanguageModel;
}
