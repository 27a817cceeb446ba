import {
  compileForTarget,
  type JsonObject,
  nearestName,
  type SchemaTarget,
  schemaTargets,
  type TargetSchema,
  type ToolView,
  visibleText,
} from "@toolwright/engine";
import { cliScope } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { CommonOptions } from "../../settings.ts";
import { findTool } from "../context/find-tool.ts";
import { withToolwright } from "../context/with-toolwright.ts";

/** How each target wants a definition around the schema. */
const envelopes: Readonly<Record<SchemaTarget, (tool: ToolView, schema: JsonObject) => unknown>> = {
  openai: ({ name, description }, parameters) => ({ type: "function", name, description, strict: true, parameters }),
  anthropic: ({ name, description }, input_schema) => ({ name, description, input_schema }),
  gemini: ({ name, description }, parametersJsonSchema) => ({ name, description, parametersJsonSchema }),
  bedrock: ({ name, description }, json) => ({ toolSpec: { name, description, inputSchema: { json } } }),
  mcp: ({ name, title, description, outputSchema, hints }, inputSchema) => ({
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations: hints,
  }),
};

export function schema(io: Io, options: CommonOptions & { readonly target: string }, [name = ""]: readonly string[]): Promise<number> {
  return withToolwright(io, { ...options, callsNothing: true }, async (toolwright) => {
    const tool = findTool(cliScope(toolwright, io), name);
    const { definition, losses } = compile(tool, options.target);
    io.out(`${JSON.stringify(options.json ? { definition, losses } : definition, null, 2)}\n`);
    if (!options.json)
      for (const { path, keyword, reason } of losses)
        io.err(`${options.target} cannot say "${keyword}" at ${path || "/"}: ${visibleText(reason)}\n`);
    return exitCodes.done;
  });
}

function compile(tool: ToolView, target: string): { definition: unknown; losses: TargetSchema["losses"] } {
  if (target === "json") return { definition: tool.inputSchema, losses: [] };
  const known = schemaTargets.find((each) => each === target);
  if (!known) {
    const names = [...schemaTargets, "json"];
    const nearest = nearestName(target, names);
    throw new CliError(`There is no target "${target}".${nearest ? ` Did you mean "${nearest}"?` : ""} Targets: ${names.join(", ")}.`);
  }
  const { schema: compiled, losses } = compileForTarget(tool.inputSchema, known);
  return { definition: envelopes[known](tool, compiled), losses };
}
