import type { Json, JsonObject } from "../../contract/json.ts";
import type { ToolExample } from "../../tool/define-tool.ts";
import { estimateTokens } from "../estimate-tokens.ts";
import type { StandardSchema } from "../standard-schema.ts";
import { type CompilableTool, compileForTarget, dialects, type SchemaTarget, type ToolForTarget } from "./compile-for-target.ts";

/** Tokens that the examples of one tool may take of every request. */
export const exampleBudget = 100;

/** The parts of a tool that a model is told. */
export interface OfferableTool extends CompilableTool {
  readonly description: string;
  readonly input: StandardSchema;
  readonly examples: readonly ToolExample[];
}

export interface OfferedTool extends ToolForTarget {
  /** With the examples, where the target has no field for them. */
  readonly description: string;
  /** For the target's own field; absent where it has none, or the tool has no example that fits. */
  readonly inputExamples?: readonly Readonly<Record<string, Json>>[];
  /** About as many as a model reads in each request. */
  readonly tokens: { readonly description: number; readonly schema: number; readonly examples: number };
}

/** A tool as one target's models are told of it: its description, its schema, and those of its examples that are whole inputs and within the budget. */
export function offerTool(tool: OfferableTool, target: SchemaTarget): OfferedTool {
  const compiled = compileForTarget(tool, target);
  const inputs = tool.examples.filter(({ input }) => isWhole(tool.input, input));
  const examples = fitBudget(inputs.map(({ label, input }) => ({ label, input: compiled.writeInput(input) as JsonObject })));
  const tokens = {
    description: estimateTokens(tool.description),
    schema: estimateTokens(JSON.stringify(compiled.inputSchema)),
    examples: examples.reduce((sum, example) => sum + estimateTokens(writeExample(example)), 0),
  };
  const { description } = tool;
  if (examples.length === 0) return { ...compiled, description, tokens };
  if (dialects[target].examples === "field") return { ...compiled, description, inputExamples: examples.map(({ input }) => input), tokens };
  return { ...compiled, description: `${description}\nExamples:\n${examples.map(writeExample).join("\n")}`, tokens };
}

/** Providers refuse a request with an example that its schema refuses. */
function isWhole(schema: StandardSchema, input: unknown): boolean {
  const outcome = schema["~standard"].validate(input);
  return !(outcome instanceof Promise) && outcome.issues === undefined;
}

/** In the author's order: the first is the most important one. */
function fitBudget(examples: readonly ToolExample[]): readonly ToolExample[] {
  let left = exampleBudget;
  return examples.filter((example) => {
    const cost = estimateTokens(writeExample(example));
    const fits = cost <= left;
    if (fits) left -= cost;
    return fits;
  });
}

function writeExample({ label, input }: ToolExample): string {
  return `${label}: ${JSON.stringify(input)}`;
}
