import { canonicalJson, isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import { isNode, typesOf } from "./schema-node.ts";

/** How two values of a keyword become one that both mean; undefined where no such value can be written. */
type Merge = (left: Json, right: Json) => Json | undefined;

const keepLeft: Merge = (left) => left;
const larger: Merge = (left, right) => Math.max(Number(left), Number(right));
const smaller: Merge = (left, right) => Math.min(Number(left), Number(right));
const eachOf = (names: readonly string[], merge: Merge): [string, Merge][] => names.map((name) => [name, merge]);

const merges = new Map<string, Merge>([
  ...eachOf(["title", "description", "default", "examples", "$defs"], keepLeft),
  ...eachOf(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"], larger),
  ...eachOf(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"], smaller),
  ["type", mergeTypes],
  ["enum", mergeEnums],
  ["required", (left, right) => [...new Set([...(left as string[]), ...(right as string[])])]],
  ["properties", mergeProperties],
  ["additionalProperties", (left, right) => (left === false || right === false ? false : mergeNodes(left, right))],
  ["items", mergeNodes],
]);

/** One schema for values that are valid by both, or undefined where the two cannot be written as one. */
export function mergeSchemas(left: JsonObject, right: JsonObject): JsonObject | undefined {
  const merged = new Map<string, Json>(Object.entries(left));
  for (const [keyword, value] of Object.entries(right)) {
    const other = merged.get(keyword);
    const both = other === undefined || canonicalJson(other) === canonicalJson(value) ? value : merges.get(keyword)?.(other, value);
    if (both === undefined) return undefined;
    merged.set(keyword, both);
  }
  return Object.fromEntries(merged);
}

function mergeNodes(left: Json, right: Json): Json | undefined {
  if (left === true) return right;
  if (right === true) return left;
  return isNode(left) && isNode(right) ? mergeSchemas(left, right) : false;
}

function mergeTypes(left: Json, right: Json): Json | undefined {
  const [first, second] = [typesOf({ type: left }), typesOf({ type: right })];
  const isIn = (type: string, types: readonly string[]) => types.includes(type) || (type === "integer" && types.includes("number"));
  const both = [...new Set([...first.filter((type) => isIn(type, second)), ...second.filter((type) => isIn(type, first))])];
  return both.length > 1 ? both : both[0];
}

function mergeEnums(left: Json, right: Json): Json | undefined {
  const known = new Set((right as Json[]).map(canonicalJson));
  const both = (left as Json[]).filter((value) => known.has(canonicalJson(value)));
  return both.length > 0 ? both : undefined;
}

function mergeProperties(left: Json, right: Json): Json | undefined {
  if (!isPlainObject(left) || !isPlainObject(right)) return undefined;
  const merged = new Map<string, Json>(Object.entries(left as JsonObject));
  for (const [name, schema] of Object.entries(right as JsonObject)) {
    const other = merged.get(name);
    const both = other === undefined ? schema : mergeNodes(other, schema);
    if (both === undefined) return undefined;
    merged.set(name, both);
  }
  return Object.fromEntries(merged);
}
