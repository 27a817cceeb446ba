import type { Scope } from "@toolwright/engine";
import type { SchemaTarget } from "@toolwright/engine/schema";
import type { ModelMessage, SingleToolApprovalFunction, Tool, ToolCallRepairFunction, ToolSet } from "ai";
import { approveCall } from "./approve-call.ts";
import { siteOf } from "./call-site.ts";
import { LoadedTools, type ToolCost } from "./load-tools.ts";
import { type CompiledTool, compileTool, type DoorTool, type MakeCall, makeTool } from "./make-tool.ts";
import type { ResultFiles } from "./model-output.ts";
import { makeRepair } from "./repair-tool-call.ts";
import { takeDenials } from "./take-denials.ts";

export interface AISDKOptions {
  /** The provider whose models read the tools. Default: schemas go out whole. */
  readonly target?: SchemaTarget;
  /**
   * How pictures and sounds of results go to the model: `pictures` as parts, for a provider whose wire takes them in results, such as OpenAI's Responses, or
   * all as `parts`, for one that takes sounds too. Others write such parts as text in base64, drop them or refuse the request. Default: `parts` for the target
   * `gemini`, `pictures` for `anthropic` and `bedrock`, and `words` otherwise.
   */
  readonly files?: ResultFiles;
  /** Names the conversation among all of this caller. Default: the session of the scope. */
  readonly key?: string;
  /** The scope of the person at this program: their answer in the SDK's messages answers our approval. Without it, only other doors answer. */
  readonly answerAs?: Scope;
  /** Tokens that definitions of tools may take of each request; what exceeds it is found by `tool_search`. Default 16,000. */
  readonly budget?: number;
  /** Names of tools that are in every request, whatever the budget. */
  readonly always?: readonly string[];
  /** The conversation so far, of a program that goes on with it: the tools that it found or used stay. */
  readonly messages?: readonly ModelMessage[];
  /**
   * Makes the calls in place of the scope, for a loop that keeps a record of its own. What waits for a person is then a `pending` output, and no
   * approval goes through the SDK's messages.
   */
  readonly call?: MakeCall;
  /** At least 32 random bytes, the same in every process: the SDK then signs its approval requests, and refuses others before it asks the gate. */
  readonly secret?: string | Uint8Array;
}

/** Settings for `generateText`, `streamText` and `ToolLoopAgent`: spread them. */
export interface AISDKDoor {
  readonly tools: Record<string, DoorTool | Tool>;
  readonly toolApproval: Record<string, SingleToolApprovalFunction<unknown, unknown, unknown>>;
  readonly toolOrder: string[];
  readonly repairToolCall: ToolCallRepairFunction<ToolSet>;
  /** Present with `answerAs`: gives the gate what the person denied. */
  readonly onStart?: (event: { readonly messages: readonly ModelMessage[] }) => Promise<void>;
  /** Present with `secret`. */
  readonly experimental_toolApprovalSecret?: string | Uint8Array;
  /** What each tool costs in every request, and why it is there or deferred. */
  why(): readonly ToolCost[];
}

const defaultBudget = 16_000;

interface ProviderTraits {
  /** For the last tool of the requests. */
  readonly last?: DoorTool["providerOptions"];
  /** One grammar for all strict tools of a request: beyond a size that is not published the whole request is refused, so no tool is strict. */
  readonly sharedGrammar?: boolean;
  /** Its wire takes files in results. */
  readonly files?: ResultFiles;
}

const traits: Partial<Record<SchemaTarget, ProviderTraits>> = {
  anthropic: { last: { anthropic: { cacheControl: { type: "ephemeral" } } }, sharedGrammar: true, files: "pictures" },
  bedrock: { files: "pictures" },
  gemini: { files: "parts" },
};

/** The tools of a scope for the AI SDK 7: each call takes the way through the gate, and an approval outlives the process. */
export function toAISDK(scope: Scope, options: AISDKOptions = {}): AISDKDoor {
  const { target = "json-schema-2020-12", key: conversation = scope.session, answerAs, secret, budget = defaultBudget } = options;
  const { always = [], messages = [], call } = options;
  const compiled = scope.list().map((view) => compileTool(view, target));
  const tools: Record<string, DoorTool | Tool> = {};
  const loaded = new LoadedTools(compiled, { budget, always, messages }, (name) => {
    // The next generation with these tools has it from the start.
    if (tools[name]) tools[name].deferLoading = false;
  });
  const { last, sharedGrammar, files: usualFiles = "words" } = traits[target] ?? {};
  const { files = usualFiles } = options;
  const lastName = loaded.order.at(-1);
  for (const tool of compiled) {
    const settings = {
      ...(tool.strict && !sharedGrammar && { strict: true }),
      ...(!loaded.isLoaded(tool.view.name) && { deferLoading: true }),
      ...(tool.view.name === lastName && last && { providerOptions: last }),
    };
    tools[tool.view.name] = makeTool(tool, { scope, conversation, settings, call, files });
  }
  if (!loaded.areAllLoaded) tools[loaded.searchName] = loaded.makeSearch();
  const approve =
    ({ view }: CompiledTool): SingleToolApprovalFunction<unknown, unknown, unknown> =>
    (input, { toolCallId, messages: sent }) =>
      approveCall({ scope, answerAs, name: view.name, input, site: siteOf(toolCallId, sent, conversation) });
  return {
    tools,
    toolApproval: call ? {} : Object.fromEntries(compiled.map((tool) => [tool.view.name, approve(tool)])),
    toolOrder: loaded.order,
    repairToolCall: makeRepair(scope, call),
    ...(answerAs && { onStart: (event) => takeDenials(event.messages, { scope, answerAs, conversation }) }),
    ...(secret !== undefined && { experimental_toolApprovalSecret: secret }),
    why: () => loaded.why(),
  };
}
