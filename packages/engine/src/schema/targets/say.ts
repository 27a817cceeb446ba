import { canonicalJson, type Json, type JsonObject } from "../../contract/json.ts";
import { toPointer } from "../json-pointer.ts";
import type { SchemaPath } from "../schema-node.ts";
import { sensitiveKeyword } from "../sensitive.ts";
import type { Dialect } from "./dialect.ts";

/** Something that a target's schema cannot say. The engine enforces all of it on every call. */
export interface SchemaLoss {
  /** JSON pointer into the tool's own schema. */
  readonly path: string;
  readonly keyword: string;
  readonly reason: string;
  /** Where it went: the description says it to the model, or only the engine's check of each call knows it. */
  readonly goesTo: "description" | "check";
}

/** Something that a target's schema says in another form, which `readInput` takes back without loss. */
export interface SchemaRewrite {
  /** JSON pointer into the tool's own schema. */
  readonly path: string;
  readonly form: "null" | "pairs" | "text" | "wrapper" | "name" | "rest";
  readonly reason: string;
}

/** One compilation: what it writes for, and what it notes. */
export interface Run {
  readonly dialect: Dialect;
  /** The whole schema, for references. */
  readonly root: JsonObject;
  readonly losses: SchemaLoss[];
  readonly rewrites: SchemaRewrite[];
}

export function describe(node: JsonObject, said: readonly string[]): JsonObject {
  const { description } = node;
  return { ...node, description: `${typeof description === "string" ? `${description} ` : ""}(${said.join("; ")})` };
}

/** Validation keywords of JSON Schema 2020-12. What stands beside them means nothing to a validator, and goes without a word. */
const meaningful = new Set([
  ...["type", "enum", "const", "default", "examples", "deprecated", "readOnly", "writeOnly", "format", "pattern", "title", "description"],
  ...[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "contentEncoding",
    "contentMediaType",
  ],
  ...["items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems"],
  ...["properties", "required", "patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties"],
  ...["dependentRequired", "dependentSchemas", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$defs", "nullable"],
]);

/** Drops the keywords that `isKept` refuses, and says constraints in the description instead. */
export function sayRefused(node: JsonObject, path: SchemaPath, run: Run, isKept: (keyword: string, value: Json) => boolean): JsonObject {
  const kept: [string, Json][] = [];
  const said: string[] = [];
  for (const [keyword, value] of Object.entries(node)) {
    // It is for whoever keeps what a call held, and nothing that a model or a validator obeys.
    if (keyword === sensitiveKeyword) continue;
    if (isKept(keyword, value)) {
      kept.push([keyword, value]);
      continue;
    }
    const { keywords } = run.dialect;
    const known = keywords === "any" || keywords.has(keyword);
    const isSaid = meaningful.has(keyword);
    if (!isSaid && keyword !== "additionalProperties") continue;
    const reason = `${known ? "This value is" : "It is"} not supported${isSaid ? ": said in the description." : "."}`;
    run.losses.push({ path: toPointer(path), keyword, reason, goesTo: isSaid ? "description" : "check" });
    if (isSaid) said.push(`${keyword}: ${typeof value === "string" ? value : canonicalJson(value)}`);
  }
  const result = Object.fromEntries(kept);
  return said.length === 0 ? result : describe(result, said);
}
