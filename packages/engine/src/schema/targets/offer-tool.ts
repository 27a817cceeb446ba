import type { Json, JsonObject } from "../../contract/json.ts";
import type { ToolExample } from "../../tool/define-tool.ts";
import type { StandardSchema } from "../standard-schema.ts";
import { compileForTarget, dialects, type SchemaLoss, type SchemaTarget } from "./compile-for-target.ts";

/** Tokens that the examples of one tool may take of every request. */
export const exampleBudget = 100;

/** The parts of a tool that a model is told. */
export interface OfferableTool {
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly input: StandardSchema;
  readonly examples: readonly ToolExample[];
}

export interface OfferedTool {
  /** With the examples, where the target has no field for them. */
  readonly description: string;
  readonly schema: JsonObject;
  /** For the target's own field; absent where it has none, or the tool has no example that fits. */
  readonly inputExamples?: readonly Readonly<Record<string, Json>>[];
  readonly losses: readonly SchemaLoss[];
  /** About as many as a model reads in each request. */
  readonly tokens: { readonly description: number; readonly schema: number; readonly examples: number };
}

/** A tool as one target's models are told of it: its description, its schema, and those of its examples that are whole inputs and within the budget. */
export function offerTool(tool: OfferableTool, target: SchemaTarget): OfferedTool {
  const { schema, losses } = compileForTarget(tool.inputSchema, target);
  const examples = fitBudget(tool.examples.filter(({ input }) => isWhole(tool.input, input)));
  const tokens = {
    description: estimateTokens(tool.description),
    schema: estimateTokens(JSON.stringify(schema)),
    examples: examples.reduce((sum, example) => sum + estimateTokens(writeExample(example)), 0),
  };
  if (examples.length === 0) return { description: tool.description, schema, losses, tokens };
  if (dialects[target].examples === "field")
    return { description: tool.description, schema, inputExamples: examples.map(({ input }) => input), losses, tokens };
  return { description: `${tool.description}\nExamples:\n${examples.map(writeExample).join("\n")}`, schema, losses, tokens };
}

/** Four bytes are about a token; the count of one provider is not that of another. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text, "utf8") / 4);
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
