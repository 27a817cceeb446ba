import type { CallResult, InvokeOptions, Json, JsonObject, Scope, ToolView } from "@toolwright/engine";
import { isPlainObject } from "@toolwright/engine/ports";
import { type OfferedTool, offerTool, type SchemaTarget } from "@toolwright/engine/schema";
import { type FlexibleSchema, jsonSchema, type Tool } from "ai";
import { siteOf } from "./call-site.ts";
import { type ResultFiles, toModelOutput } from "./model-output.ts";
import { streamCall, type ToolOutput } from "./stream-call.ts";

/** A tool of this door. The SDK passes its input on as the model wrote it: the gate repairs and refuses. */
export type DoorTool = Tool<unknown, ToolOutput>;

/** What is the same for every caller of one definition. */
export interface CompiledTool {
  readonly view: ToolView;
  readonly offered: OfferedTool;
  /** True where the provider can hold its model to the schema, and the schema says all. */
  readonly strict: boolean;
  readonly metadata: Readonly<Record<string, Json>>;
  readonly inputSchema: FlexibleSchema<unknown>;
  readonly outputSchema: FlexibleSchema<ToolOutput>;
}

const compiled = new WeakMap<JsonObject, Map<SchemaTarget, CompiledTool>>();

/** Compiles once per definition and target: the SDK reads the schema again for each step. */
export function compileTool(view: ToolView, target: SchemaTarget): CompiledTool {
  const known = compiled.get(view.inputSchema) ?? new Map<SchemaTarget, CompiledTool>();
  compiled.set(view.inputSchema, known);
  const found = known.get(target);
  if (found && found.view.hash === view.hash && found.view.name === view.name && found.view.description === view.description) return found;
  const offered = offerTool(view, target);
  const { hash, group, effects, hints } = view;
  const made = {
    view,
    offered,
    metadata: { toolwright: toJson({ hash, group, effects, hints }) },
    strict: offered.strict && offered.losses.length === 0,
    inputSchema: passing<unknown>(offered.inputSchema, offered.readInput),
    outputSchema: passing<ToolOutput>(resultSchema(offered.outputSchema ?? view.outputSchema), (value) => value),
  };
  known.set(target, made);
  return made;
}

/** Reads what the model wrote by the provider's schema, and refuses nothing: the gate does, and its log has it. */
function passing<Value>(schema: JsonObject, read: (value: unknown) => unknown): FlexibleSchema<Value> {
  return jsonSchema<Value>(schema as Parameters<typeof jsonSchema>[0], {
    validate: (value) => ({ success: true, value: read(value) as Value }),
  });
}

const toJson = (value: object) => JSON.parse(JSON.stringify(value)) as JsonObject;

/** A result, with the tool's own schema for its output. */
function resultSchema(output: JsonObject): JsonObject {
  const { $defs, ...rest } = output;
  const status = { type: "string", enum: ["running", "done", "failed", "denied", "pending", "cancelled", "unknown"] };
  return { type: "object", properties: { status, output: rest }, required: ["status"], ...($defs !== undefined && { $defs }) };
}

/**
 * Input that is no JSON, under the name that the SDK's providers give it: strict providers take nothing but objects in the history. The agents of this
 * product keep it as the text that came, and write their own requests.
 */
export const brokenMember = "rawInvalidInput";

/** The text that a model wrote where its input was no JSON; every other input as it is. */
function readBroken(input: unknown): unknown {
  const isBroken = isPlainObject(input) && Object.keys(input).length === 1 && typeof input[brokenMember] === "string";
  return isBroken ? input[brokenMember] : input;
}

/** A call as the model made it, and how to follow it. */
export interface ModelCall {
  readonly name: string;
  readonly input: unknown;
  readonly toolCallId: string;
  readonly options: InvokeOptions;
}

/** *Contract:* never rejects, as a call of the scope. */
export type MakeCall = (call: ModelCall) => Promise<CallResult>;

export interface MakeOptions {
  readonly scope: Scope;
  readonly conversation: string;
  readonly call: MakeCall | undefined;
  readonly files: ResultFiles;
  /** Settings of the provider and of the request that the tool is in. */
  readonly settings: Pick<DoorTool, "strict" | "deferLoading" | "providerOptions">;
}

export function makeTool({ view, offered, metadata, inputSchema, outputSchema }: CompiledTool, options: MakeOptions): DoorTool {
  const { scope, conversation, settings, call, files } = options;
  const { name, title } = view;
  const { description, inputExamples } = offered;
  return {
    description,
    title,
    inputSchema,
    outputSchema,
    ...settings,
    ...(inputExamples && { inputExamples: inputExamples.map((input) => ({ input })) }),
    metadata,
    execute: (input, { toolCallId, messages, abortSignal }) => {
      const signal = abortSignal && { signal: abortSignal };
      if (call) return streamCall((watching) => call({ name, input, toolCallId, options: { ...watching, ...signal } }));
      const { key, again } = siteOf(toolCallId, messages, conversation);
      const once = again ? { idempotencyKey: key } : { takeUpWaiting: true };
      return streamCall((watching) => scope.invokeNamed(name, readBroken(input), { ...watching, ...once, ...signal }));
    },
    toModelOutput: ({ output }) => toModelOutput(output, files),
  };
}
