import type { CallResult, InvokeOptions, Scope } from "@toolwright/engine";
import type { SchemaTarget } from "@toolwright/engine/schema";
import type { ModelMessage, ToolCallRepairFunction, ToolResultPart, ToolSet } from "ai";

/** A call as the model made it. */
export interface ModelCall {
  readonly name: string;
  readonly input: unknown;
  /** Unique in its response. */
  readonly toolCallId: string;
  readonly options: InvokeOptions;
}

/** Tools in the form of the AI SDK. */
export interface OfferedTools {
  readonly tools: ToolSet;
  readonly toolOrder: string[];
  readonly repairToolCall: ToolCallRepairFunction<ToolSet>;
  /** What the model reads of how a call ended. */
  readonly write: (result: CallResult) => ToolResultPart["output"];
}

/** Gives a model the tools of a scope: the AI SDK door, which this package does not import and which is loaded when it is first asked for. */
export type OfferTools = (
  scope: Scope,
  options: {
    readonly target: SchemaTarget;
    /** Files stay parts of results: requests show them as the model takes them. */
    readonly files: "parts";
    readonly messages: readonly ModelMessage[];
    readonly call: (made: ModelCall) => Promise<CallResult>;
  },
) => Promise<OfferedTools>;
