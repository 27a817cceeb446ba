import { notedSchema, type ToolView } from "@toolwright/engine";
import { nearestName, visibleText } from "@toolwright/engine/ports";
import { exampleBudget, type OfferedTool, offerTool, type SchemaLoss, type SchemaTarget, schemaTargets } from "@toolwright/engine/schema";
import { cliScope } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { CommonOptions } from "../../settings.ts";
import { findTool } from "../context/find-tool.ts";
import { withToolwright } from "../context/with-toolwright.ts";

/** How each target wants a definition around the schema. */
const envelopes: Readonly<Record<SchemaTarget, (tool: ToolView, offered: OfferedTool) => unknown>> = {
  "openai-strict": openaiTool,
  openai: openaiTool,
  anthropic: (_, { name, description, inputSchema, inputExamples, strict }) => ({
    name,
    description,
    input_schema: inputSchema,
    strict,
    ...(inputExamples && { input_examples: inputExamples }),
  }),
  gemini: (_, { name, description, inputSchema }) => ({ name, description, ...(hasMembers(inputSchema) && { parameters: inputSchema }) }),
  bedrock: (_, { name, description, inputSchema, strict }) => ({
    toolSpec: { name, description, inputSchema: { json: inputSchema }, strict },
  }),
  "mcp-2025-11-25": mcpTool,
  "mcp-2026-07-28": mcpTool,
  "json-schema-2020-12": (_, { inputSchema }) => inputSchema,
};

function openaiTool(_: ToolView, { name, description, inputSchema, strict }: OfferedTool): unknown {
  return { type: "function", name, description, strict, parameters: inputSchema };
}

function mcpTool({ title, hints }: ToolView, { name, description, inputSchema, outputSchema = {} }: OfferedTool): unknown {
  return { name, title, description, inputSchema, outputSchema: notedSchema(outputSchema), annotations: hints };
}

/** Gemini takes no parameters as no schema: an object without members is refused. */
const hasMembers = ({ properties = {} }: OfferedTool["inputSchema"]) => Object.keys(properties as object).length > 0;

interface SchemaOptions extends CommonOptions {
  readonly target?: string;
  readonly report?: boolean;
}

export function schema(io: Io, options: SchemaOptions, [name]: readonly string[]): Promise<number> {
  if (options.report && name !== undefined) throw new CliError(`--report is about all tools: leave out "${name}".`);
  if (!options.report && (name === undefined || options.target === undefined))
    throw new CliError(
      `Name ${name === undefined ? "a tool" : "a --target"}, or pass --report. For example: toolwright schema file_read --target openai`,
    );
  return withToolwright(io, { ...options, callsNothing: true }, async (toolwright) => {
    const scope = cliScope(toolwright, io);
    if (options.report) report(io, scope.list(), options);
    else print(io, findTool(scope, name ?? "", toolwright.policy), options);
    return exitCodes.done;
  });
}

function print(io: Io, tool: ToolView, { target = "json", json }: SchemaOptions): void {
  const { definition, losses } = compile(tool, target);
  io.out(`${JSON.stringify(json ? { definition, losses } : definition, null, 2)}\n`);
  if (json) return;
  for (const { path, keyword, reason } of losses) io.err(`${target} cannot say "${keyword}" at ${path || "/"}: ${visibleText(reason)}\n`);
}

function compile(tool: ToolView, target: string): { definition: unknown; losses: readonly SchemaLoss[] } {
  if (target === "json") return { definition: tool.inputSchema, losses: [] };
  const known = readTarget(target, [...schemaTargets, "json"]);
  const offered = offerTool(tool, known);
  return { definition: envelopes[known](tool, offered), losses: offered.losses };
}

function readTarget(target: string, names: readonly string[]): SchemaTarget {
  const known = schemaTargets.find((each) => each === target);
  if (known) return known;
  const nearest = nearestName(target, names);
  throw new CliError(`There is no target "${target}".${nearest ? ` Did you mean "${nearest}"?` : ""} Targets: ${names.join(", ")}.`);
}

/** What each tool costs in every request that offers it. */
function report(io: Io, tools: readonly ToolView[], { target = "mcp-2026-07-28", json }: SchemaOptions): void {
  const known = readTarget(target, schemaTargets);
  const rows = tools.map((tool) => {
    const { tokens, losses } = offerTool(tool, known);
    const { description, schema: size, examples } = tokens;
    return { tool: tool.name, description, schema: size, examples, total: description + size + examples, losses: losses.length };
  });
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  if (json) return void io.out(`${JSON.stringify({ target: known, exampleBudget, total, tools: rows }, null, 2)}\n`);
  const cells = rows.map((row) => [row.tool, row.description, row.schema, row.examples, row.total, row.losses].map(String));
  io.out(`${renderTable(["tool", "description", "schema", "examples", "tokens", "not said"], cells, io.columns)}\n`);
  io.out(`About ${total} tokens for ${known} in every request. Examples of one tool take at most ${exampleBudget}.\n`);
}
