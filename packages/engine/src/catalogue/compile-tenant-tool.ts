import type { z } from "zod";
import { digest } from "../contract/digest.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import type { TenantTool } from "../ports/tenant-tools.ts";
import { mapChildren } from "../schema/schema-node.ts";
import { sensitiveKeyword } from "../schema/sensitive.ts";
import { zodFromJson } from "../schema/zod-from-json.ts";
import { defineTool, type InputSchema } from "../tool/define-tool.ts";
import { fail } from "../tool/result.ts";
import { type CompiledTool, compileTool } from "./compile-tool.ts";
import type { TenantToolExecutor } from "./tenant-tool-executor.ts";

const nobody: TenantToolExecutor = {
  effects: () => ({}),
  run: async ({ tool }) =>
    fail(
      "not_executable",
      `Tool "${tool}" was written by the tenant, and this process has nothing that runs such tools. Ask its operator.`,
    ),
};

/** Checks a tenant's tool by the rules of every definition. Throws `definition_invalid` or `schema_refused`. */
export function compileTenantTool(tenant: string, row: TenantTool, executor: TenantToolExecutor = nobody): CompiledTool {
  const { tool, ...executes } = row;
  const { title, group, description, approval, permission, visibility, limits } = executes;
  const definition = defineTool({
    name: tool,
    title,
    group,
    description,
    input: toZod(tool, "input", row.inputSchema) as InputSchema,
    output: toZod(tool, "output", row.outputSchema),
    effects: executor.effects(row),
    approval,
    ...(permission !== undefined && { permission }),
    ...(visibility && { visibility }),
    ...(limits && { limits }),
    run: (input, ctx) => executor.run(row, input as JsonObject, ctx) as never,
  });
  return compileTool(definition, { kind: "tenant", source: `tenant ${tenant}`, executes: digest(executes) });
}

/** Zod drops formats that it does not check. */
function markPasswords(schema: JsonObject): JsonObject {
  const marked = mapChildren(schema, markPasswords);
  return marked.format === "password" ? { ...marked, [sensitiveKeyword]: true } : marked;
}

function toZod(tool: string, side: "input" | "output", schema: JsonObject): z.ZodType {
  try {
    return zodFromJson(markPasswords(schema));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolwrightError("schema_refused", `The ${side} schema of tool "${tool}" is not JSON Schema that can be enforced: ${reason}`, {
      cause,
    });
  }
}
