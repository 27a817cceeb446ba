import { isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import { fromPointer, valueAt } from "./json-pointer.ts";

export type SchemaPath = readonly (string | number)[];

/** Keywords whose value is a map of schemas, a list of schemas, or one schema (JSON Schema 2020-12, core 10 and validation). */
const maps = new Set(["properties", "$defs", "patternProperties"]);
const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const singles = new Set(["items", "additionalProperties", "propertyNames", "not"]);

export const isNode = (value: unknown): value is JsonObject => isPlainObject(value);

/** The schemas of a list keyword; empty when the keyword is absent. */
export function branchesOf(node: JsonObject, keyword: "anyOf" | "oneOf" | "allOf"): JsonObject[] {
  const list = node[keyword];
  return Array.isArray(list) ? list.filter(isNode) : [];
}

export function propertiesOf(node: JsonObject): [string, JsonObject][] {
  return isNode(node.properties) ? (Object.entries(node.properties) as [string, JsonObject][]) : [];
}

export function requiredOf(node: JsonObject): string[] {
  return Array.isArray(node.required) ? (node.required as string[]) : [];
}

export function typesOf(node: JsonObject): string[] {
  if (typeof node.type === "string") return [node.type];
  return Array.isArray(node.type) ? (node.type as string[]) : [];
}

/** Rebuilds a node with each direct subschema replaced; booleans among them stay. */
export function mapChildren(node: JsonObject, replace: (child: JsonObject, path: SchemaPath) => Json): JsonObject {
  const visit = (child: Json, path: SchemaPath) => (isNode(child) ? replace(child, path) : child);
  return Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => {
      if (maps.has(keyword) && isNode(value)) {
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, visit(child, [keyword, name])]))];
      }
      if (lists.has(keyword) && Array.isArray(value)) return [keyword, value.map((child: Json, index) => visit(child, [keyword, index]))];
      return [keyword, singles.has(keyword) ? visit(value, [keyword]) : value];
    }),
  );
}

/** Calls back for a node and everything below it, parents first. */
export function walkNodes(node: JsonObject, visit: (node: JsonObject, path: SchemaPath) => void, path: SchemaPath = []): void {
  visit(node, path);
  mapChildren(node, (child, below) => {
    walkNodes(child, visit, [...path, ...below]);
    return child;
  });
}

/** Every subschema that may describe the value at a path: all branches of unions count. */
export function nodesAt(root: JsonObject, path: readonly PropertyKey[]): JsonObject[] {
  let nodes = expand(root, root, 0);
  for (const segment of path) nodes = nodes.flatMap((node) => step(node, segment)).flatMap((node) => expand(root, node, 0));
  return nodes;
}

function step(node: JsonObject, segment: PropertyKey): JsonObject[] {
  const named = isNode(node.properties) && Object.hasOwn(node.properties, segment) ? node.properties[String(segment)] : undefined;
  return [named ?? node.items ?? node.additionalProperties].filter(isNode);
}

/** A node, what it refers to, and its union branches. References nest at most as deep as a schema that loads can. */
function expand(root: JsonObject, node: JsonObject, depth: number): JsonObject[] {
  if (depth > 16) return [];
  const target = typeof node.$ref === "string" ? valueAt(root, fromPointer(node.$ref)) : undefined;
  const below = [...branchesOf(node, "anyOf"), ...branchesOf(node, "oneOf"), ...branchesOf(node, "allOf")];
  if (isNode(target)) below.push(target);
  return [node, ...below.flatMap((branch) => expand(root, branch, depth + 1))];
}
