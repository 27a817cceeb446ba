import { canonicalJson, type Json, type JsonObject } from "../../contract/json.ts";
import { toPointer } from "../json-pointer.ts";
import { portablePattern } from "../portable-pattern.ts";
import { isNode, mapChildren, type SchemaPath, typesOf } from "../schema-node.ts";
import { describe, type Run } from "./say.ts";

/** What every target needs: patterns that any language compiles, `items` of tuples, and null outside enums where it may not be in one. */
export function makeReadable(node: JsonObject, path: SchemaPath, run: Run): JsonObject {
  const visited = mapChildren(node, (child, below) => makeReadable(child, [...path, ...below], run));
  const readable = spellPattern(run.dialect.tuplesHaveItems ? addItems(visited) : visited, path, run);
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

/** Adds `items` to a tuple for readers that need it. The schema takes the same values: `items` describes those after the tuple. */
function addItems(node: JsonObject): JsonObject {
  const { prefixItems, items = true, maxItems = Number.POSITIVE_INFINITY } = node;
  if (!Array.isArray(prefixItems) || typeof items !== "boolean") return node;
  const isClosed = items === false || Number(maxItems) <= prefixItems.length;
  if (!isClosed) return { ...node, items: {} };
  const kinds = [...new Map(prefixItems.filter(isNode).map((item) => [canonicalJson(item), item])).values()];
  const any = kinds.length === 1 ? kinds[0]! : { anyOf: kinds };
  return { ...node, items: kinds.length === 0 ? {} : any, maxItems: Math.min(Number(maxItems), prefixItems.length) };
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
