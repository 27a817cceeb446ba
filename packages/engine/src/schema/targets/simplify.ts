import { canonicalJson, type Json, type JsonObject } from "../../contract/json.ts";
import { isOfType } from "../fits-schema.ts";
import { toPointer } from "../json-pointer.ts";
import { mergeSchemas } from "../merge-schemas.ts";
import { literalsOf } from "../normalize-json.ts";
import { branchesOf, propertiesOf, requiredOf, type SchemaPath, typesOf } from "../schema-node.ts";
import { describe, type Run } from "./say.ts";

/** Keywords that a branch can take in from the schema around it. */
const mergeable = new Set([
  ...[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "enum",
    "const",
  ],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
]);
const containers = new Set(["object", "array"]);

/** One way to say a thing for all limited dialects: no `allOf`, no `oneOf`, one type where members or items hang on it, and nothing but words beside `anyOf`. */
export function simplify(node: JsonObject, path: SchemaPath, run: Run): JsonObject {
  const spelled = spellConst(sayAlternatives(mergeAll(node, path, run), path, run), run);
  return distribute(unify(splitTypes(spelled, run), path, run), path, run);
}

export function mergeAll(node: JsonObject, path: SchemaPath, run: Run): JsonObject {
  const parts = branchesOf(node, "allOf");
  if (parts.length === 0) return node;
  const { allOf: _, ...rest } = node;
  let merged = rest as JsonObject;
  const left: JsonObject[] = [];
  for (const part of parts) {
    const next = mergeSchemas(merged, "allOf" in part ? mergeAll(part, path, run) : part);
    if (next) merged = next;
    else left.push(part);
  }
  if (left.length === 0) return merged;
  run.losses.push({
    path: toPointer(path),
    keyword: "allOf",
    reason: "Not all parts can be written as one: said in the description.",
    goesTo: "description",
  });
  return describe(merged, [`allOf: ${canonicalJson(left)}`]);
}

/** A choice between sets of required members, and nothing else, is said in words: each branch would repeat the whole object. */
export function sayAlternatives(node: JsonObject, path: SchemaPath, { losses }: Pick<Run, "losses">): JsonObject {
  const keyword = node.anyOf === undefined ? "oneOf" : "anyOf";
  const branches = branchesOf(node, keyword);
  const isRequirement = (branch: JsonObject) =>
    Object.keys(branch).every((key) => key === "required" || key === "title" || key === "description");
  if (branches.length === 0 || !branches.every(isRequirement) || propertiesOf(node).length === 0) return node;
  const { [keyword]: _, ...rest } = node;
  const sets = branches.map((branch) => requiredOf(branch).join(" and ") || "none of them");
  losses.push({
    path: toPointer(path),
    keyword,
    reason: "The members that are needed together are said in the description.",
    goesTo: "description",
  });
  return describe(rest, [`give ${keyword === "oneOf" ? "exactly" : "at least"} one of: ${sets.join("; ")}`]);
}

function spellConst(node: JsonObject, { dialect: { keywords } }: Run): JsonObject {
  if (node.const === undefined || keywords === "any" || keywords.has("const")) return node;
  const { const: value, ...rest } = node;
  return { ...rest, enum: [value] };
}

/** Members and items hang on one type each, and some targets know no list of types but one with null. */
function splitTypes(node: JsonObject, { dialect }: Run): JsonObject {
  const types = typesOf(node);
  const others = types.filter((type) => type !== "null");
  const isSplit = types.some((type) => containers.has(type)) ? types.length > 1 : dialect.typeLists === "null" && others.length > 1;
  if (!isSplit || node.anyOf !== undefined || node.oneOf !== undefined) return node;
  const { title, description, default: fallback, examples, ...rest } = node;
  const about = Object.entries({ title, description, default: fallback, examples }).filter(([, value]) => value !== undefined);
  const scalars = others.filter((type) => !containers.has(type));
  const together = dialect.typeLists === "null" || scalars.length < 2 ? scalars : [scalars];
  const kinds: Json[] = [...others.filter((type) => containers.has(type)), ...together];
  const branches = kinds.map((type): JsonObject => keepFor({ ...rest, type }));
  return { ...(Object.fromEntries(about) as JsonObject), anyOf: [...branches, ...(types.includes("null") ? [{ type: "null" }] : [])] };
}

const hangsOn = new Map([
  ...["properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties"].map(
    (key) => [key, "object"] as const,
  ),
  ...["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"].map((key) => [key, "array"] as const),
]);

/** What a schema says of values of its types. */
function keepFor(node: JsonObject): JsonObject {
  const types = typesOf(node);
  const kept = Object.entries(node).filter(([keyword]) => types.includes(hangsOn.get(keyword) ?? types[0]!));
  const fits = (value: Json) => types.some((type) => isOfType(type, value));
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, keyword === "enum" && Array.isArray(value) ? value.filter(fits) : value]),
  );
}

/** `oneOf` is `anyOf` where its branches exclude each other anyway. */
function unify(node: JsonObject, path: SchemaPath, { losses }: Run): JsonObject {
  if (node.oneOf === undefined) return node;
  const { oneOf: _, anyOf, ...rest } = node;
  const branches = branchesOf(node, "oneOf");
  if (anyOf !== undefined || !areDistinct(branches))
    losses.push({ path: toPointer(path), keyword: "oneOf", reason: "Exactly one becomes at least one.", goesTo: "check" });
  return { ...rest, anyOf: branches };
}

function areDistinct(branches: readonly JsonObject[]): boolean {
  return branches.every((branch, index) => branches.slice(index + 1).every((other) => exclude(branch, other)));
}

function exclude(left: JsonObject, right: JsonObject): boolean {
  const [first, second] = [typesOf(left), typesOf(right)];
  const overlaps = first.some(
    (type) =>
      second.includes(type) || (type === "integer" && second.includes("number")) || (type === "number" && second.includes("integer")),
  );
  if (first.length > 0 && second.length > 0 && !overlaps) return true;
  const others = new Map(propertiesOf(right));
  return propertiesOf(left).some(([name, schema]) => {
    const other = others.get(name);
    if (!other || !requiredOf(left).includes(name) || !requiredOf(right).includes(name)) return false;
    const values = new Set(valuesOf(other)?.map(canonicalJson));
    return values.size > 0 && (valuesOf(schema)?.every((value) => !values.has(canonicalJson(value))) ?? false);
  });
}

function valuesOf({ description: _, title: __, ...node }: JsonObject): readonly Json[] | undefined {
  return literalsOf(node);
}

/** What stands beside a union goes into its branches. */
function distribute(node: JsonObject, path: SchemaPath, run: Run): JsonObject {
  if (node.anyOf === undefined) return node;
  const inner = Object.fromEntries(Object.entries(node).filter(([keyword]) => mergeable.has(keyword)));
  if (Object.keys(inner).length === 0) return node;
  const outer = Object.fromEntries(Object.entries(node).filter(([keyword]) => !mergeable.has(keyword)));
  const branches = branchesOf(node, "anyOf").map((branch) => mergeSchemas(inner, mergeAll(branch, path, run)));
  if (branches.every((branch) => branch !== undefined)) return { ...outer, anyOf: branches };
  const { anyOf, ...rest } = node;
  run.losses.push({
    path: toPointer(path),
    keyword: "anyOf",
    reason: "The branches cannot take in what stands beside them: said in the description.",
    goesTo: "description",
  });
  return describe(rest, [`anyOf: ${canonicalJson(anyOf ?? [])}`]);
}
