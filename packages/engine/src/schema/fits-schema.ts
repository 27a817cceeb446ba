import { canonicalJson, isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import { fromPointer, valueAt } from "./json-pointer.ts";
import { linearPattern } from "./linear-pattern.ts";
import { typesOf } from "./schema-node.ts";

type Check = (keyword: Json, value: unknown, at: Place) => boolean;

interface Place {
  readonly node: JsonObject;
  readonly root: JsonObject;
  /** References that were followed without a step into the value: one that comes again proves nothing. */
  readonly followed: ReadonlySet<string>;
}

/**
 * True when the value is valid by the schema, JSON Schema 2020-12 with references into itself. Formats are annotations there, and are not looked at;
 * nor are `unevaluatedProperties`, `unevaluatedItems` and dynamic references.
 */
export function fitsSchema(schema: JsonObject, value: unknown): boolean {
  return fits(schema, value, { root: schema, followed: new Set() });
}

/** As `fitsSchema`, for a part of a schema whose references point into the whole. */
export function fitsPart(part: JsonObject, value: unknown, root: JsonObject): boolean {
  return fits(part, value, { root, followed: new Set() });
}

function fits(schema: Json | undefined, value: unknown, above: Omit<Place, "node">): boolean {
  if (typeof schema === "boolean" || !isPlainObject(schema)) return schema !== false;
  const node = schema as JsonObject;
  return Object.entries(node).every(([keyword, argument]) => checks.get(keyword)?.(argument, value, { ...above, node }) ?? true);
}

/** A step into the value: references may come again. */
const below = (schema: Json | undefined, value: unknown, { root }: Place) => fits(schema, value, { root, followed: new Set() });
const listOf = (keyword: Json): readonly Json[] => (Array.isArray(keyword) ? keyword : []);
const ofText = (check: (length: number, limit: number) => boolean): Check => {
  return (limit, value) => typeof value !== "string" || check([...value].length, Number(limit));
};
const ofNumber = (check: (value: number, limit: number) => boolean): Check => {
  return (limit, value) => typeof value !== "number" || check(value, Number(limit));
};
const ofList = (check: (items: readonly unknown[], limit: Json, at: Place) => boolean): Check => {
  return (limit, value, at) => !Array.isArray(value) || check(value, limit, at);
};
const ofObject = (check: (value: Record<string, unknown>, argument: Json, at: Place) => boolean): Check => {
  return (argument, value, at) => !isPlainObject(value) || check(value, argument, at);
};
const entriesOf = (argument: Json): [string, Json][] => (isPlainObject(argument) ? (Object.entries(argument) as [string, Json][]) : []);
const own = (value: Record<string, unknown>, name: string) => (Object.hasOwn(value, name) ? value[name] : undefined);
const has = (value: Record<string, unknown>, name: Json) => own(value, String(name)) !== undefined;
const most = 500;
const compiled = new Map<string, (text: string) => boolean>();

function matches(pattern: string, text: string): boolean {
  const known = compiled.get(pattern) ?? compile(pattern);
  if (compiled.size >= most) compiled.clear();
  compiled.set(pattern, known);
  return known(text);
}

/** Patterns that cannot be held in linear time stand only in schemas that came with the code: all others are refused before. */
function compile(pattern: string): (text: string) => boolean {
  const held = linearPattern(pattern);
  if (!("problem" in held)) return (text) => held.test(text);
  try {
    const native = new RegExp(pattern, "u");
    return (text) => native.test(text);
  } catch {
    return () => true;
  }
}

const checks = new Map<string, Check>([
  ["$ref", followReference],
  ["type", (_, value, { node }) => typesOf(node).some((type) => isOfType(type, value))],
  ["enum", (values, value) => listOf(values).some((each) => isEqual(each, value))],
  ["const", (expected, value) => isEqual(expected, value)],
  ["anyOf", (branches, value, at) => listOf(branches).some((branch) => fits(branch, value, at))],
  ["oneOf", (branches, value, at) => listOf(branches).filter((branch) => fits(branch, value, at)).length === 1],
  ["allOf", (branches, value, at) => listOf(branches).every((branch) => fits(branch, value, at))],
  ["not", (schema, value, at) => !fits(schema, value, at)],
  ["if", (condition, value, at) => fits(at.node[fits(condition, value, at) ? "then" : "else"], value, at)],
  ["minLength", ofText((length, limit) => length >= limit)],
  ["maxLength", ofText((length, limit) => length <= limit)],
  ["pattern", (pattern, value) => typeof value !== "string" || matches(String(pattern), value)],
  ["minimum", ofNumber((value, limit) => value >= limit)],
  ["maximum", ofNumber((value, limit) => value <= limit)],
  ["exclusiveMinimum", ofNumber((value, limit) => value > limit)],
  ["exclusiveMaximum", ofNumber((value, limit) => value < limit)],
  ["multipleOf", ofNumber((value, step) => Math.abs(value / step - Math.round(value / step)) < 1e-9)],
  ["minItems", ofList((items, limit) => items.length >= Number(limit))],
  ["maxItems", ofList((items, limit) => items.length <= Number(limit))],
  [
    "uniqueItems",
    ofList((items, unique) => unique !== true || new Set(items.map((item) => canonicalJson(item as Json))).size === items.length),
  ],
  [
    "prefixItems",
    ofList((items, schemas, at) => listOf(schemas).every((schema, index) => index >= items.length || below(schema, items[index], at))),
  ],
  ["items", ofList((items, schema, at) => items.slice(listOf(at.node.prefixItems ?? []).length).every((item) => below(schema, item, at)))],
  ["contains", ofList(containsEnough)],
  ["minProperties", ofObject((value, limit) => Object.keys(value).length >= Number(limit))],
  ["maxProperties", ofObject((value, limit) => Object.keys(value).length <= Number(limit))],
  ["required", ofObject((value, names) => listOf(names).every((name) => has(value, name)))],
  [
    "properties",
    ofObject((value, schemas, at) =>
      entriesOf(schemas).every(([name, schema]) => !has(value, name) || below(schema, own(value, name), at)),
    ),
  ],
  [
    "patternProperties",
    ofObject((value, schemas, at) =>
      entriesOf(schemas).every(([pattern, schema]) => named(value, pattern).every((item) => below(schema, item, at))),
    ),
  ],
  ["additionalProperties", ofObject((value, schema, at) => othersOf(value, at.node).every(([, item]) => below(schema, item, at)))],
  ["propertyNames", ofObject((value, schema, at) => Object.keys(value).every((name) => below(schema, name, at)))],
  [
    "dependentRequired",
    ofObject((value, needs) =>
      entriesOf(needs).every(([name, names]) => !has(value, name) || listOf(names).every((each) => has(value, each))),
    ),
  ],
  [
    "dependentSchemas",
    ofObject((value, schemas, at) => entriesOf(schemas).every(([name, schema]) => !has(value, name) || fits(schema, value, at))),
  ],
]);

function followReference(reference: Json, value: unknown, at: Place): boolean {
  const pointer = String(reference);
  if (at.followed.has(pointer)) return true;
  const target = valueAt(at.root, fromPointer(decodeURIComponent(pointer))) as Json | undefined;
  return target === undefined || fits(target, value, { root: at.root, followed: new Set(at.followed).add(pointer) });
}

function containsEnough(items: readonly unknown[], schema: Json, at: Place): boolean {
  const count = items.filter((item) => below(schema, item, at)).length;
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = at.node;
  return count >= Number(minContains) && count <= Number(maxContains);
}

function named(value: Record<string, unknown>, pattern: string): unknown[] {
  return Object.entries(value).flatMap(([name, item]) => (matches(pattern, name) ? [item] : []));
}

function othersOf(value: Record<string, unknown>, node: JsonObject): [string, unknown][] {
  const names = isPlainObject(node.properties) ? node.properties : {};
  const patterns = isPlainObject(node.patternProperties) ? Object.keys(node.patternProperties) : [];
  return Object.entries(value).filter(([name]) => !Object.hasOwn(names, name) && !patterns.some((pattern) => matches(pattern, name)));
}

/** Whether a value is of a type of JSON Schema. */
export function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isPlainObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isEqual(left: Json, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || right === null || left === null) return false;
  return canonicalJson(left) === canonicalJson(right as Json);
}
