import { canonicalJson, type Json, type JsonObject } from "../contract/json.ts";
import { branchesOf, mapChildren, typesOf } from "./schema-node.ts";

const scalars = new Set(["string", "number", "integer", "boolean"]);

/** Rewrites a JSON Schema into an equal one that is shorter and that forms and providers read: enums for unions of literals, type lists for nullable scalars. */
export function normalizeJson(node: JsonObject): JsonObject {
  return collapseUnion(dropNoise(mapChildren(node, normalizeJson)));
}

/** Bounds that every JSON integer has, the dialect's name, a rule on names that always holds, and the long pattern by which Zod spells out a format. */
function dropNoise(node: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(node).filter(
      ([keyword, value]) =>
        keyword !== "$schema" &&
        !(keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) &&
        !(keyword === "maximum" && value === Number.MAX_SAFE_INTEGER) &&
        !(keyword === "pattern" && typeof node.format === "string" && String(value).length > 60) &&
        !(keyword === "propertyNames" && canonicalJson(value) === '{"type":"string"}'),
    ),
  );
}

function collapseUnion(node: JsonObject): JsonObject {
  const branches = branchesOf(node, "anyOf");
  if (branches.length === 0) return node;
  const { anyOf: _, ...rest } = node;
  const literals = branches.map(literalsOf);
  if (literals.every((values) => values !== undefined)) return { ...rest, ...enumOf(literals.flat()) };
  const isNull = (branch: JsonObject) => canonicalJson(branch) === '{"type":"null"}';
  const others = branches.filter((branch) => !isNull(branch));
  const only = others.length === 1 && others.length < branches.length ? others[0]! : undefined;
  return only && canBeNullable(only) ? { ...only, ...rest, ...nullable(only) } : node;
}

/** The values of a schema that is nothing but a list of them. */
export function literalsOf(node: JsonObject): readonly Json[] | undefined {
  const { type, const: value, enum: values, ...rest } = node;
  if (Object.keys(rest).length > 0) return undefined;
  if (value !== undefined) return [value];
  if (type === "null") return [null];
  return Array.isArray(values) ? values : undefined;
}

export function enumOf(values: readonly Json[]): JsonObject {
  const unique = [...new Set(values)];
  const types = [...new Set(unique.map((value) => (value === null ? "null" : typeof value)))];
  return { type: types.length === 1 ? types[0]! : types, enum: unique };
}

/** Keywords about strings and numbers let null pass, so one type list can carry them. */
function canBeNullable(node: JsonObject): boolean {
  const types = typesOf(node);
  return types.length === 1 && scalars.has(types[0]!) && node.const === undefined && node.allOf === undefined;
}

function nullable(node: JsonObject): JsonObject {
  const type = [...typesOf(node), "null"];
  return Array.isArray(node.enum) ? { type, enum: [...node.enum, null] } : { type };
}
