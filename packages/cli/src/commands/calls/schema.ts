import { notedSchema, type ToolView } from "@toolwright/engine";
import { nearestName, visibleText } from "@toolwright/engine/ports";
import { exampleBudget, type OfferedTool, offerTool, type SchemaTarget, schemaTargets, sourcesOf } from "@toolwright/engine/schema";
import { cliScope } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import { renderTable } from "../../output/table.ts";
import type { CommonOptions } from "../../settings.ts";
import { refuseTool } from "../context/find-tool.ts";
import { operateAs } from "../context/operate.ts";
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
  gemini: (_, { name, description, inputSchema }) => ({ name, description, parametersJsonSchema: inputSchema }),
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

interface SchemaOptions extends CommonOptions {
  readonly target?: string;
  readonly report?: boolean;
}

export function schema(io: Io, options: SchemaOptions, [name]: readonly string[]): Promise<number> {
  if (!options.report && (name === undefined || options.target === undefined))
    throw new CliError(
      `Name ${name === undefined ? "a tool" : "a --target"}, or pass --report. For example: toolwright schema file_read --target openai-strict`,
    );
  const target = options.target === undefined ? undefined : readTarget(options.target);
  return withToolwright(io, { ...options, callsNothing: true }, async (toolwright) => {
    const scope = await cliScope(toolwright, io);
    const wanted = { target, json: options.json };
    if (name === undefined) {
      reportCosts(io, scope.list(), wanted);
      return exitCodes.done;
    }
    const about = { where: "", inForce: describePolicyInForce(toolwright.policy) };
    const tool = scope.find(name) ?? (await refuseTool(operateAs(scope, toolwright), name, about));
    (options.report ? reportTool : print)(io, tool, wanted);
    return exitCodes.done;
  });
}

interface Wanted {
  readonly target: SchemaTarget | undefined;
  readonly json: boolean | undefined;
}

const latestMcp: SchemaTarget = "mcp-2026-07-28";

function print(io: Io, tool: ToolView, { target = latestMcp, json }: Wanted): void {
  const offered = offerTool(tool, target);
  const { losses, rewrites } = offered;
  const definition = envelopes[target](tool, offered);
  io.out(`${JSON.stringify(json ? { definition, losses, rewrites } : definition, null, 2)}\n`);
  if (json) return;
  for (const { path, keyword, reason } of losses) io.err(`${target} cannot say "${keyword}" at ${path || "/"}: ${visibleText(reason)}\n`);
}

function readTarget(target: string): SchemaTarget {
  const known = schemaTargets.find((each) => each === target);
  if (known) return known;
  const nearest = nearestName(target, schemaTargets) ?? schemaTargets.findLast((each) => each.startsWith(target));
  throw new CliError(
    `There is no target "${visibleText(target)}".${nearest ? ` Did you mean "${nearest}"?` : ""} Targets: ${schemaTargets.join(", ")}.`,
  );
}

/** What becomes of one tool's schema for a target, or for each of them. */
function reportTool(io: Io, tool: ToolView, { target, json }: Wanted): void {
  const reports = (target ? [target] : schemaTargets).map((each) => {
    const { name, strict, losses, rewrites, tokens } = offerTool(tool, each);
    return { target: each, name, strict, losses, rewrites, tokens, sources: sourcesOf(each) };
  });
  if (json) return void io.out(`${JSON.stringify({ tool: tool.name, targets: reports }, null, 2)}\n`);
  if (!target) {
    const cells = reports.map(({ target: each, strict, losses, rewrites, tokens }) =>
      [each, strict ? "yes" : "no", losses.length, rewrites.length, tokens.description + tokens.schema + tokens.examples].map(String),
    );
    io.out(`${renderTable(["target", "strict mode", "not said", "rewritten", "tokens"], cells, io.columns)}\n`);
    return;
  }
  for (const report of reports) io.out(`${writeReport(tool, report, io.columns)}\n`);
}

type TargetReport = Pick<OfferedTool, "name" | "strict" | "losses" | "rewrites"> & {
  readonly target: SchemaTarget;
  readonly sources: ReturnType<typeof sourcesOf>;
};

function writeReport(tool: ToolView, { target, name, strict, losses, rewrites, sources }: TargetReport, columns: number): string {
  const place = (path: string) => visibleText(path || "/");
  const parts = [
    `${tool.name} for ${target}${name === tool.name ? "" : `, as ${name}`}: ${strict ? "strict mode accepts it" : "no strict mode"}.`,
  ];
  if (losses.length === 0) parts.push("Nothing is lost.");
  else {
    const cells = losses.map(({ path, keyword, goesTo, reason }) => [place(path), keyword, goesTo, visibleText(reason)]);
    parts.push(`Not said; the engine checks it on every call:\n${renderTable(["at", "keyword", "goes to", "reason"], cells, columns)}`);
  }
  if (rewrites.length > 0) {
    const cells = rewrites.map(({ path, form, reason }) => [place(path), form, visibleText(reason)]);
    parts.push(`Said in another form; inputs are read back:\n${renderTable(["at", "form", "what"], cells, columns)}`);
  }
  parts.push(
    `Rules:\n${sources.map(({ url, read, says }) => `- ${url}${read === undefined ? "" : ` (read ${read})`}: ${says}`).join("\n")}`,
  );
  return parts.join("\n\n");
}

/** What each tool costs in every request that offers it. */
function reportCosts(io: Io, tools: readonly ToolView[], { target = latestMcp, json }: Wanted): void {
  const rows = tools.map((tool) => {
    const { tokens, losses } = offerTool(tool, target);
    const { description, schema: size, examples } = tokens;
    return { tool: tool.name, description, schema: size, examples, total: description + size + examples, losses: losses.length };
  });
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  if (json) return void io.out(`${JSON.stringify({ target, exampleBudget, total, tools: rows }, null, 2)}\n`);
  const cells = rows.map((row) => [row.tool, row.description, row.schema, row.examples, row.total, row.losses].map(String));
  io.out(`${renderTable(["tool", "description", "schema", "examples", "tokens", "not said"], cells, io.columns)}\n`);
  io.out(`About ${total} tokens for ${target} in every request. Examples of one tool take at most ${exampleBudget}.\n`);
}
