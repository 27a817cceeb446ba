import type { z } from "zod";
import type { ContentBlock } from "../contract/content.ts";
import type { Reach } from "../contract/decision.ts";
import type { ForeignContent } from "../contract/foreign.ts";
import type { Json } from "../contract/json.ts";
import type { ToolLimits } from "../contract/tool-limits.ts";
import type { ToolVisibility } from "../contract/tool-visibility.ts";
import type { SandboxRules } from "../ports/policy-rules.ts";
import type { CallPreview } from "./call-preview.ts";
import type { ToolContext } from "./context.ts";
import type { Effects } from "./effects.ts";
import type { ToolPresentation } from "./presentation.ts";
import type { Question, Say } from "./question.ts";
import type { Failure } from "./result.ts";

/** What a context-built schema may depend on. */
export interface SchemaContext {
  readonly tenant: string;
  readonly agent: string | undefined;
  readonly attributes: Readonly<Record<string, Json>>;
}

/** What a note on the policy may depend on. */
export interface PolicyNoteContext {
  readonly sandbox: SandboxRules;
}

/** Schemas that a tool can have as its input: a Zod object, or a union of objects. */
export type InputSchema = z.ZodObject | z.ZodDiscriminatedUnion | z.ZodUnion;
/** What `run` receives for an input schema: the parsed value, with defaults. */
export type InputOf<Input> = Input extends (context: SchemaContext) => infer Schema
  ? z.output<Schema & z.ZodType>
  : z.output<Input & z.ZodType>;

/** An example input, which models see and which is checked when the tool is registered. */
export interface ToolExample {
  /** One sentence. */
  readonly label: string;
  /** Checked at load against the input schema, in which every member is then optional. */
  readonly input: Readonly<Record<string, Json>>;
}

/**
 * A tool. See the guide page "Write a tool".
 * @typeParam Input - the input schema, or a function that builds it per request.
 * @typeParam Output - the output schema; every tool has one.
 * @typeParam Declared - the effects; `run` gets exactly their capabilities on `ctx`.
 * @typeParam Name - the literal name, by which `scope.invoke` knows the types.
 */
export interface ToolDefinition<
  Input extends InputSchema | ((context: SchemaContext) => InputSchema) = InputSchema | ((context: SchemaContext) => InputSchema),
  Output extends z.ZodType = z.ZodType,
  Declared extends Effects = Effects,
  Name extends string = string,
> {
  /** `^[a-z][a-z0-9_-]{0,63}$`, unique. */
  readonly name: Name;
  /** For people; default: made from the name. */
  readonly title?: string;
  /** Groups are policy handles: `group:fs`. Default `custom`. */
  readonly group?: string;
  readonly icon?: string;
  /** An operating instruction for a model: when to use it, when not, which cheaper tool first. */
  readonly description: string;
  /** A sentence for the end of the description, on what the policy in force comes to for whoever reads it. *Contract:* pure. */
  readonly policyNote?: (context: PolicyNoteContext) => string;
  readonly input: Input;
  readonly output: Output;
  /** Default: none, a pure function. */
  readonly effects?: Declared;
  readonly examples?: readonly ToolExample[];
  readonly limits?: ToolLimits;
  /** `always_ask`: a person is asked before each call, under every autonomy. */
  readonly approval?: "auto" | "always_ask";
  /** Without it the tool is absent. */
  readonly permission?: string;
  readonly visibility?: ToolVisibility;
  /** Environment variables without which the tool is left out, with a warning. */
  readonly requiredEnv?: readonly string[];
  /** Other names that models give to an input member: `{ cmd: "command" }`. Applied, and recorded, only when the real one is missing. */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * Name of a member, beside the schema, by which models that learnt other tools say that a call is approved: `approved`. It is taken out and recorded,
   * and `true` has a person asked even where the policy asks nobody; it is never a yes.
   */
  readonly asksOn?: string;
  /** How people meet the tool: category, form, result. Checked when the tool is registered. */
  readonly presentation?: ToolPresentation;
  /** Schema rules that this tool breaks on purpose, by name. */
  readonly schemaExceptions?: readonly string[];
  /** What a call with this input will reach, for the policy to judge before it runs. *Contract:* pure. */
  readonly reaches?: (input: InputOf<Input>) => readonly Reach[];
  /** What a call with this input comes to, for the person who is asked about it: files before and after, requests. *Contract:* pure. */
  readonly preview?: (input: InputOf<Input>) => readonly CallPreview[];
  /** What a call with this input would do, as a question: `ask: ({ path }, say) => say\`Write ${path}?\``. Default: title, input and effects. *Contract:* pure. */
  readonly ask?: (input: InputOf<Input>, say: Say) => Question;
  /** What a model reads instead of the output as JSON. *Contract:* pure. */
  readonly toModel?: (output: z.output<Output>) => readonly ContentBlock[];
  /** Says that nobody here wrote what the output holds: the session is marked, and models read it inside a boundary. */
  readonly foreign?: ForeignContent<z.output<Output>, InputOf<Input>>;
  /** Members of the output, texts, that the call showed while it ran: whoever watched is not shown them again. */
  readonly streamed?: readonly string[];
  /** What a shell reads as the end of a call: the exit code of the command that the tool ran. Undefined when none ended. *Contract:* pure. */
  readonly exitCode?: (output: z.output<Output>) => number | undefined;
  readonly run: (input: InputOf<Input>, ctx: ToolContext<Declared>) => Promise<z.input<Output> | Failure> | z.input<Output> | Failure;
}

/** Any tool, once its types are no longer of interest. */
export interface AnyTool extends Omit<ToolDefinition, "run" | "reaches" | "preview" | "ask" | "toModel" | "foreign" | "exitCode"> {
  readonly reaches?: (input: never) => readonly Reach[];
  readonly preview?: (input: never) => readonly CallPreview[];
  readonly ask?: (input: never, say: Say) => Question;
  readonly toModel?: (output: never) => readonly ContentBlock[];
  readonly foreign?: ForeignContent;
  readonly exitCode?: (output: never) => number | undefined;
  readonly run: (input: never, ctx: never) => unknown;
}

const definitionBrand = Symbol.for("toolwright.tool");

/**
 * Defines a tool. A definition is a value: nothing is registered by calling this.
 *
 * @example examples/first-tool/word-count.tool.ts
 * ```ts
 * import { defineTool } from "@toolwright/engine";
 * import { z } from "zod";
 *
 * export default defineTool({
 *   name: "word_count",
 *   description: "Count the words of a text file in the workspace. To read it use file_read.",
 *   input: z.object({ path: z.string().describe("Path relative to the workspace") }),
 *   output: z.object({ words: z.int() }),
 *   effects: { files: "read" },
 *   run: async ({ path }, { files }) => ({ words: (await files.readLines(path)).text.split(/\s+/).filter(Boolean).length }),
 * });
 * ```
 */
export function defineTool<
  const Input extends InputSchema | ((context: SchemaContext) => InputSchema),
  const Output extends z.ZodType,
  const Declared extends Effects = Record<never, never>,
  const Name extends string = string,
>(definition: ToolDefinition<Input, Output, Declared, Name>): ToolDefinition<Input, Output, Declared, Name> {
  return Object.freeze({ ...definition, [definitionBrand]: true });
}

/** True for what `defineTool` returned, also by another copy of the package. */
export function isToolDefinition(value: unknown): value is AnyTool {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[definitionBrand] === true;
}
