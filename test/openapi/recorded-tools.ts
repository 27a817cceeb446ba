import { readFileSync } from "node:fs";
import type { JsonObject } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import { compileJsonSchemaForTarget } from "@toolwright/engine/schema";

interface Recorded {
  readonly name: string;
  readonly description?: string;
  readonly schema: JsonObject;
}

const corpus = new URL("../corpora/mcp-tool-schemas.jsonl", import.meta.url);

/** Tools with the schemas of public MCP servers, the awkward ones too: like one of ours but for name and schemas. */
export function recordedTools(like: ToolSummary): readonly ToolSummary[] {
  const lines = readFileSync(corpus, "utf8").trimEnd().split("\n");
  return lines.map((line, index) => {
    const { name, schema } = JSON.parse(line) as Recorded;
    const { schema: inputSchema } = compileJsonSchemaForTarget(schema, "json-schema-2020-12");
    // Outputs of tools are an object at the top, and these schemas are as awkward as any.
    return {
      ...like,
      name: `recorded_${index}`,
      title: name,
      group: "recorded",
      inputSchema,
      unionSchema: undefined,
      declaredSchema: undefined,
      outputSchema: inputSchema,
      examples: [],
    };
  });
}
