import { z } from "zod";
import { canonicalJson, type JsonObject } from "../contract/json.ts";
import type { ProblemList } from "./check-rules.ts";
import { fitsPart } from "./fits-schema.ts";

/** The dialect that a schema may name: the only one that Zod, MCP and OpenAPI 3.1 share. */
const dialect = "https://json-schema.org/draft/2020-12/schema";

/** Keywords about the whole value that `.meta()` adds at the top; Zod copies them and checks none. `then` and `else` belong to `if`. */
const checked = [
  ["allOf"],
  ["anyOf"],
  ["oneOf"],
  ["not"],
  ["if", "then", "else"],
  ["dependentRequired"],
  ["dependentSchemas"],
  ["patternProperties"],
  ["propertyNames"],
  ["minProperties"],
  ["maxProperties"],
] as const;

interface Declaration {
  /** True where `.meta({ $schema })` names the dialect. */
  readonly isDeclared: boolean;
  /** The author's own keywords at the top, each with those that belong to it. */
  readonly keywords: readonly JsonObject[];
}

/** What the `.meta()` of a schema says in JSON Schema's own words. */
export function readDeclaration(schema: z.ZodType, problems: ProblemList): Declaration {
  const meta = (z.globalRegistry.get(schema) ?? {}) as JsonObject;
  const { $schema } = meta;
  if ($schema !== undefined && $schema !== dialect)
    problems.add("representable", [], { problem: `names the dialect ${JSON.stringify($schema)}`, fix: `Write $schema: "${dialect}".` });
  const keywords = checked
    .filter(([first]) => meta[first] !== undefined)
    .map((names) => Object.fromEntries(names.flatMap((name) => (meta[name] === undefined ? [] : [[name, meta[name]]]))) as JsonObject);
  return { isDeclared: $schema === dialect, keywords };
}

/** Puts the name of the dialect first, and the type that every object at the top has. */
export function declare(json: JsonObject): JsonObject {
  return { $schema: dialect, type: "object", ...json };
}

/** Adds the author's keywords to what Zod checks: what a schema says to its callers holds. */
export function checkKeywords(schema: z.ZodType, keywords: readonly JsonObject[], root: JsonObject): z.ZodType {
  if (keywords.length === 0) return schema;
  return schema.check(({ value, issues }) => {
    for (const keyword of keywords)
      if (!fitsPart(keyword, value, root))
        issues.push({ code: "custom", input: value, message: `does not satisfy this part of the schema: ${canonicalJson(keyword)}` });
  });
}
