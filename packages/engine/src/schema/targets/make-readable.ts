import type { Json, JsonObject } from "../../contract/json.ts";
import { toPointer } from "../json-pointer.ts";
import { portablePattern } from "../portable-pattern.ts";
import { mapChildren, type SchemaPath, typesOf } from "../schema-node.ts";
import { describe, type Run } from "./say.ts";

/** What every target needs: patterns that any language compiles, and null outside enums where it may not be in one. */
export function makeReadable(node: JsonObject, path: SchemaPath, run: Run): JsonObject {
  const visited = mapChildren(node, (child, below) => makeReadable(child, [...path, ...below], run));
  const readable = spellPattern(visited, path, run);
  return run.dialect.nullInEnum ? readable : takeNullOut(readable);
}

function spellPattern(node: JsonObject, path: SchemaPath, { losses }: Run): JsonObject {
  if (typeof node.pattern !== "string") return node;
  const portable = portablePattern(node.pattern);
  if (portable !== undefined) return { ...node, pattern: portable };
  const { pattern, ...rest } = node;
  const reason = "Not every language reads this expression: said in the description.";
  losses.push({ path: toPointer(path), keyword: "pattern", reason, goesTo: "description" });
  return describe(rest, [`pattern: ${pattern}`]);
}

/** Some providers refuse a whole request for a null in an enum. */
function takeNullOut(node: JsonObject): JsonObject {
  if (!Array.isArray(node.enum) || !node.enum.includes(null)) return node;
  const { title, description, default: fallback, ...rest } = node;
  const about = Object.fromEntries(Object.entries({ title, description, default: fallback }).filter(([, value]) => value !== undefined));
  const values = node.enum.filter((value: Json) => value !== null);
  if (values.length === 0) return { ...about, type: "null" } as JsonObject;
  const types = [...new Set(values.map((value: Json) => typeof value))] as string[];
  const type = typesOf(node).filter((each) => each !== "null");
  const named = type.length > 0 ? type : types;
  return { ...about, anyOf: [{ ...rest, type: named.length === 1 ? named[0]! : named, enum: values }, { type: "null" }] } as JsonObject;
}
