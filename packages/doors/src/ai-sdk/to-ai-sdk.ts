import type { Scope } from "@toolwright/engine";
import type { SchemaTarget } from "@toolwright/engine/schema";
import type { SingleToolApprovalFunction, ToolCallRepairFunction, ToolSet } from "ai";
import { approveCall } from "./approve-call.ts";
import { siteOf } from "./call-site.ts";
import { compileTool, type DoorTool, makeTool } from "./make-tool.ts";
import { makeRepair } from "./repair-tool-call.ts";

export interface AISDKOptions {
  /** The provider whose models read the tools. Default: schemas go out whole. */
  readonly target?: SchemaTarget;
  /** Names the conversation among all of this caller. Default: the session of the scope. */
  readonly key?: string;
  /** The scope of the person at this program: their yes in the SDK's messages answers our approval. Without it, only other doors answer. */
  readonly answerAs?: Scope;
}

/** Settings for `generateText`, `streamText` and `ToolLoopAgent`: spread them. */
export interface AISDKDoor {
  readonly tools: Record<string, DoorTool>;
  readonly toolApproval: Record<string, SingleToolApprovalFunction<unknown, unknown, unknown>>;
  readonly toolOrder: string[];
  readonly repairToolCall: ToolCallRepairFunction<ToolSet>;
}

export function toAISDK(scope: Scope, { target = "mcp", key = scope.session, answerAs }: AISDKOptions = {}): AISDKDoor {
  const compiled = scope.list().map((view) => compileTool(view, target));
  const tools = compiled.map((tool) => [tool.view.name, makeTool(tool, { scope, conversation: key, isStrict: false })] as const);
  const approve =
    (name: string): SingleToolApprovalFunction<unknown, unknown, unknown> =>
    (input, { toolCallId, messages }) =>
      approveCall({ scope, answerAs, name, input, site: siteOf(toolCallId, messages, key) });
  return {
    tools: Object.fromEntries(tools),
    toolApproval: Object.fromEntries(tools.map(([name]) => [name, approve(name)])),
    toolOrder: tools.map(([name]) => name),
    repairToolCall: makeRepair(scope),
  };
}
