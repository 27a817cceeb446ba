import type { JsonObject } from "../../contract/json.ts";
import type { EffectHints } from "../../tool/effects.ts";
import type { SchemaTarget } from "./compile-for-target.ts";
import type { OfferedTool } from "./offer-tool.ts";

interface Named {
  readonly name: string;
  readonly description: string;
}

interface OpenaiTool extends Named {
  readonly type: "function";
  readonly strict: boolean;
  readonly parameters: JsonObject;
}

interface AnthropicTool extends Named {
  readonly input_schema: JsonObject;
  readonly strict: boolean;
  readonly input_examples?: readonly JsonObject[];
}

interface GeminiTool extends Named {
  readonly parametersJsonSchema: JsonObject;
}

interface BedrockTool {
  readonly toolSpec: Named & { readonly inputSchema: { readonly json: JsonObject }; readonly strict: boolean };
}

interface McpTool extends Named {
  readonly title: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: EffectHints;
}

/** A tool as a request to one target has it. */
export type ToolDefinition = OpenaiTool | AnthropicTool | GeminiTool | BedrockTool | McpTool | JsonObject;

/** What a definition says of a tool beside what models are told of it. */
interface Definable {
  readonly title: string;
  readonly hints: EffectHints;
  /** Schema of what a call gives, with room for its notes. */
  readonly outputSchema: JsonObject;
}

/** How each target wants a definition around the schema. */
const envelopes: Readonly<Record<SchemaTarget, (offered: OfferedTool, tool: Definable) => ToolDefinition>> = {
  "openai-strict": openaiTool,
  openai: openaiTool,
  anthropic: ({ name, description, inputSchema, inputExamples, strict }) => ({
    ...{ name, description, input_schema: inputSchema, strict },
    ...(inputExamples && { input_examples: inputExamples }),
  }),
  gemini: ({ name, description, inputSchema }) => ({ name, description, parametersJsonSchema: inputSchema }),
  bedrock: ({ name, description, inputSchema, strict }) => ({
    toolSpec: { name, description, inputSchema: { json: inputSchema }, strict },
  }),
  "mcp-2025-11-25": mcpTool,
  "mcp-2026-07-28": mcpTool,
  "json-schema-2020-12": ({ inputSchema }) => inputSchema,
};

function openaiTool({ name, description, inputSchema, strict }: OfferedTool): OpenaiTool {
  return { type: "function", name, description, strict, parameters: inputSchema };
}

function mcpTool({ name, description, inputSchema }: OfferedTool, { title, hints, outputSchema }: Definable): McpTool {
  return { name, title, description, inputSchema, outputSchema, annotations: hints };
}

/** What a request to the target has of an offered tool; for JSON Schema, the schema alone. */
export const defineForTarget = (target: SchemaTarget, offered: OfferedTool, tool: Definable): ToolDefinition =>
  envelopes[target](offered, tool);
