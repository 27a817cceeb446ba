import type { z } from "zod";
import type { Json } from "../contract/json.ts";
import type { AnyTool } from "./define-tool.ts";

/** Types of the tools that are known when the program is compiled: what a call takes and gives, by the tool's name. */
export type ToolTypes = object;

/** What tools give a scope's `invoke` to know. Tools whose name is not a literal, or that are loaded later, are not among them. */
export type TypesOf<Tools extends readonly AnyTool[]> = {
  readonly [Tool in Tools[number] as string extends Tool["name"] ? never : Tool["name"]]: {
    readonly input: InputGiven<Tool["input"]>;
    readonly output: z.output<Tool["output"]>;
  };
};

/** What a caller passes: before defaults and repairs. */
type InputGiven<Input> = Input extends (...context: never) => infer Schema ? z.input<Schema & z.ZodType> : z.input<Input & z.ZodType>;

export type InputTo<Types extends ToolTypes, Name extends keyof Types> = Types[Name] extends { readonly input: infer Input }
  ? Input
  : never;
/** An output schema that says nothing gives JSON. */
export type OutputOf<Types extends ToolTypes, Name extends keyof Types> = Types[Name] extends { readonly output: infer Output }
  ? unknown extends Output
    ? Json
    : Output
  : never;
