import type { JsonObject } from "@toolwright/engine";
import type { TenantTool } from "@toolwright/engine/catalogue";
import { nearestName } from "@toolwright/engine/ports";
import { parseDocument } from "yaml";
import { z } from "zod";
import { CliError } from "../cli-error.ts";

const object = z.custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value), "it is not an object");
const count = z.int().min(1);

/** A tool as an MCP client lists it, and what a tenant says of it beside that. */
const described = z.strictObject({
  name: z.string(),
  title: z.string().optional(),
  group: z.string().default("custom"),
  description: z.string(),
  inputSchema: object,
  outputSchema: object,
  approval: z.enum(["auto", "always_ask"]).default("auto"),
  permission: z.string().optional(),
  visibility: z.strictObject({ optIn: z.boolean().optional(), feature: z.string().optional() }).optional(),
  limits: z.strictObject({ timeoutMs: count.optional(), idleMs: count.optional(), maxOutputBytes: count.optional() }).optional(),
  execution: z.json().default(null),
});

/** Reads YAML or JSON. `file` is for messages. */
export function readTenantTool(text: string, file: string): TenantTool {
  const document = parseDocument(text, { prettyErrors: true, schema: "core", resolveKnownTags: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new CliError(`${file} is neither YAML nor JSON: ${problem.message.trim()}`);
  const read = described.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (!read.success) throw new CliError(`${file} does not describe a tool:\n${read.error.issues.flatMap(describeIssue).join("\n")}`);
  const { name: tool, title = tool, ...more } = read.data;
  return { tool, title, ...more } as TenantTool;
}

/** What `readTenantTool` reads. */
export function writeTenantTool({ tool, ...more }: TenantTool): JsonObject {
  return { name: tool, ...more } as unknown as JsonObject;
}

function describeIssue(issue: z.core.$ZodIssue): readonly string[] {
  const place = issue.path.join(".");
  if (issue.code !== "unrecognized_keys") return [`  ${place || "the whole"}: ${issue.message}`];
  const known = membersAt(issue.path);
  return issue.keys.map((key) => {
    const nearest = nearestName(key, known);
    return `  ${[...issue.path, key].join(".")} is not known.${nearest ? ` Did you mean "${nearest}"?` : ""} There are: ${known.join(", ")}.`;
  });
}

function membersAt([first]: readonly PropertyKey[]): readonly string[] {
  const { visibility, limits } = described.shape;
  const at = first === "visibility" ? visibility.unwrap() : first === "limits" ? limits.unwrap() : described;
  return Object.keys(at.shape);
}
