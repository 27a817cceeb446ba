import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { nearestName } from "../contract/nearest-name.ts";
import { notedSchema } from "../gate/notes/note-result.ts";
import { type SchemaLoss, type SchemaRewrite, type SchemaTarget, schemaTargets, sourcesOf } from "../schema/targets/compile-for-target.ts";
import { defineForTarget, type ToolDefinition } from "../schema/targets/define-for-target.ts";
import { exampleBudget, offerTool } from "../schema/targets/offer-tool.ts";
import type { ToolView } from "../scope-types.ts";
import { toolInput } from "./call-parts.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { jsonSchema } from "./json-parts.ts";
import { settleSchema, toolReportView, toolSchemaView } from "./views/tool-schemas.ts";

const name = z.string().min(1).describe("Name of the tool");
const target = z.enum(schemaTargets, { error: ({ input }) => (typeof input === "string" ? describeUnknown(input) : undefined) });

function describeUnknown(wanted: string): string {
  const nearest = nearestName(wanted, schemaTargets) ?? schemaTargets.findLast((each) => each.startsWith(wanted));
  const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  return `There is no target ${JSON.stringify(wanted)}.${meant} Targets: ${schemaTargets.join(", ")}.`;
}

const losses: z.ZodType<readonly SchemaLoss[]> = z
  .array(
    z.object({
      path: z.string().describe("JSON pointer into the tool's own schema"),
      keyword: z.string(),
      reason: z.string(),
      goesTo: z
        .enum(["description", "check"])
        .describe("Whether the description says it to the model, or only the check of each call knows it"),
    }),
  )
  .describe("What the target cannot say, and where");

const rewrites: z.ZodType<readonly SchemaRewrite[]> = z
  .array(
    z.object({
      path: z.string().describe("JSON pointer into the tool's own schema"),
      form: z.enum(["null", "pairs", "text", "wrapper", "name", "rest"]),
      reason: z.string(),
    }),
  )
  .describe("What the target says in another form; inputs are read back");

const told = { name: z.string(), description: z.string() };
const strict = z.boolean().describe("Whether the strict mode of the target accepts it");
const hints = z.object({
  ...{ readOnlyHint: z.boolean(), destructiveHint: z.boolean(), idempotentHint: z.boolean(), openWorldHint: z.boolean() },
});

const definition: z.ZodType<ToolDefinition> = z
  .union([
    z.object({ type: z.literal("function"), ...told, strict, parameters: jsonSchema }),
    z.object({ ...told, input_schema: jsonSchema, strict, input_examples: z.array(toolInput).exactOptional() }),
    z.object({ ...told, parametersJsonSchema: jsonSchema }),
    z.object({ toolSpec: z.object({ ...told, inputSchema: z.object({ json: jsonSchema }), strict }) }),
    z.object({ ...told, title: z.string(), inputSchema: jsonSchema, outputSchema: jsonSchema, annotations: hints }),
    jsonSchema,
  ])
  .describe("As a request to the target has it");

export const toolSchema = defineOperation({
  name: "tools.schema",
  at: "GET /tools/{name}/schema",
  title: "Get a tool's schema",
  description: "Writes the input schema of a tool for one target, and the definition around it, with what the target cannot say.",
  effect: "read",
  input: z.object({ name, target: target.describe("Whose rules the schema keeps") }),
  output: z.object({ target: z.string(), schema: jsonSchema, definition, losses, rewrites }),
  shell: {
    form: "schema [name]",
    about: "Print a tool's definition in the format of a model provider",
    options: { name: { flags: "[tool]" }, target: { flags: "--target <name>", required: false } },
    tool: "name",
    settle: settleSchema,
    notes: "What the target cannot say is listed on stderr; the engine enforces it all the same.",
    examples: [
      "schema file_read --target openai-strict",
      "schema file_read --target openai-strict --report",
      "schema --report --target anthropic",
    ],
  },
  view: toolSchemaView,
  async run({ name: wanted, target: of }, context) {
    const tool = requireTool(wanted, context);
    const offered = offerTool(tool, of);
    const outputSchema = notedSchema(offered.outputSchema ?? {});
    const { inputSchema: schema, losses: lost, rewrites: rewritten } = offered;
    return { target: of, schema, definition: defineForTarget(of, offered, { ...tool, outputSchema }), losses: lost, rewrites: rewritten };
  },
});

const report = z.object({
  tool: z.string(),
  target: z.string(),
  name: z.string().describe("Of the tool there, where the target refuses its own"),
  strict,
  losses,
  rewrites,
  tokens: z
    .object({ description: z.number(), schema: z.number(), examples: z.number() })
    .describe("About as many as a model reads of it in each request"),
});

const latestMcp: SchemaTarget = "mcp-2026-07-28";

export const reportTools = defineOperation({
  name: "tools.report",
  at: "GET /schemas/report",
  title: "Report on tools' schemas",
  description:
    "Tells what becomes of the schema of one tool for each target, or of all tools for one, and the tokens that each costs in every request.",
  effect: "read",
  input: z.object({
    name: name.optional().describe("Only this tool; without it, all that the principal may use"),
    target: target.optional().describe(`Whose rules the schemas keep; default all of one tool, and ${latestMcp} of all tools`),
  }),
  output: z.object({
    items: z.array(report),
    exampleBudget: z.int().describe("Tokens that the examples of one tool take at most"),
    sources: z
      .array(
        z.object({
          target: z.string(),
          url: z.string(),
          read: z.string().optional().describe("The day on which it was read"),
          says: z.string().describe("What the target takes from it"),
        }),
      )
      .describe("The documents that the rules come from"),
  }),
  shell: {
    form: "schema [name]",
    instead: {
      flags: "--report",
      about: "of one tool, what a target cannot say and rewrites; of all tools, the tokens that each costs in every request",
    },
    options: { target: { flags: "--target <name>" } },
    tool: "name",
  },
  view: toolReportView,
  async run({ name: wanted, target: of }, context) {
    const tools = wanted === undefined ? context.scope.list() : [requireTool(wanted, context)];
    const targets = of === undefined ? (wanted === undefined ? [latestMcp] : schemaTargets) : [of];
    return {
      items: tools.flatMap((tool) => targets.map((each) => toReport(tool, each))),
      exampleBudget,
      sources: targets.flatMap((each) => sourcesOf(each).map((source) => ({ target: each, ...source }))),
    };
  },
});

function toReport(tool: ToolView, of: SchemaTarget) {
  const { name: called, strict: isStrict, losses: lost, rewrites: rewritten, tokens } = offerTool(tool, of);
  return { tool: tool.name, target: of, name: called, strict: isStrict, losses: lost, rewrites: rewritten, tokens };
}

/** Rejects with `tool_not_found` for one that there is not, and for one that the principal may not use. */
export function requireTool(wanted: string, { scope }: Pick<OperationContext, "scope">): ToolView {
  const found = scope.find(wanted);
  if (found) return found;
  throw new ToolwrightError("tool_not_found", `There is no tool named ${JSON.stringify(wanted)}. List the tools to see what there is.`);
}
