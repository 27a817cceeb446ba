import { canonicalJson, isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import { fromPointer, toPointer, valueAt } from "./json-pointer.ts";
import { linearPattern } from "./linear-pattern.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { branchesOf, mapChildren, propertiesOf, requiredOf, type SchemaPath, typesOf, walkNodes } from "./schema-node.ts";

/** Whether a value is valid by a schema. */
type Fits = (schema: JsonObject, value: Json) => boolean;

/** Keywords that say something of values of one type. */
const rulesOfTypes = new Map<string, readonly string[]>([
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"]],
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties"]],
]);
const typedRules: readonly string[] = [...rulesOfTypes.values()].flat();
const rulesOf = (...types: readonly string[]) => types.flatMap((type) => rulesOfTypes.get(type) ?? []);
const scalarRules = rulesOf("string", "number");
const structureRules = rulesOf("array", "object");
const compositions = ["anyOf", "oneOf", "allOf"] as const;
const values = ["enum", "const"] as const;
const unheld = ["if", "then", "else", "dependentSchemas", "dependentRequired", "unevaluatedItems", "unevaluatedProperties"] as const;

const has = (node: JsonObject, keywords: readonly string[]) => keywords.some((keyword) => node[keyword] !== undefined);
const without = (node: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => !keywords.includes(keyword)));
const only = (node: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => keywords.includes(keyword)));

const mostReferences = 16;
/** Schemas that one may consist of with its references written in place: a short text can ask for copies of copies without end. */
const mostSchemas = 2_000;

/**
 * Writes a JSON Schema in the words of it that Zod holds: rules beside a reference, a list of values or other schemas become part of them. Throws an
 * `Error` that begins with the place of what cannot be written so.
 */
export function holdRules(root: JsonObject, fits: Fits): JsonObject {
  const refuse = (path: SchemaPath, problem: string): never => {
    throw new Error(`at ${toPointer(path) || "/"}: ${problem}`);
  };

  const typeBehind = (node: JsonObject, depth = 0): JsonObject => {
    const target = typeof node.$ref === "string" && depth < mostReferences ? valueAt(root, fromPointer(node.$ref)) : undefined;
    return isPlainObject(target) ? typeBehind(target as JsonObject, depth + 1) : only(node, ["type"]);
  };

  /** What stands beside a reference becomes one schema with its target, or one of its own where that would not end. */
  const referred = (node: JsonObject, within: ReadonlySet<string>): [JsonObject, ReadonlySet<string>] => {
    const { $ref: reference, ...beside } = node;
    const rules = [...typedRules, ...compositions, ...values, "type"];
    if (typeof reference !== "string" || !has(beside, rules)) return [node, within];
    const target = valueAt(root, fromPointer(reference));
    const merged = isPlainObject(target) && !within.has(reference) ? mergeOpen(beside, target as JsonObject) : undefined;
    if (merged) return referred(merged, new Set([...within, reference]));
    return [{ ...without(beside, rules), allOf: [{ $ref: reference }, { ...typeBehind(node), ...only(beside, rules) }] }, within];
  };

  /** The values that the rules for strings and numbers leave; what else stands beside them becomes a schema of its own. */
  const listed = (node: JsonObject, path: SchemaPath): JsonObject => {
    if (!has(node, values)) return node;
    const all = valuesOf(node);
    if (!all) return refuse(path, '"enum" is no list of values. Write at least one.');
    const simple = [...scalarRules, "type"];
    const left = all.filter((value) => fits(rulesFor(only(node, simple), value), value));
    if (left.length === 0) return refuse(path, "no value of the list fits the rules beside it. Correct one or the other.");
    const held = { ...without(node, [...typedRules, ...compositions, ...values, "type", "not"]), ...schemaOf(left) };
    const rest = only(node, [...structureRules, ...compositions, "not"]);
    return Object.keys(rest).length === 0 ? held : { allOf: [held, { type: [...new Set(left.map(typeOf))], ...rest }] };
  };

  let written = sizeWithReferences(root) > mostSchemas ? mostSchemas : 0;
  const write = (node: JsonObject, path: SchemaPath, above: ReadonlySet<string> = new Set()): JsonObject => {
    if (++written > mostSchemas)
      refuse(path, `the schema has more than ${mostSchemas} parts, with its references written in place. Describe some of them in words.`);
    for (const keyword of unheld)
      if (node[keyword] !== undefined)
        refuse(path, `"${keyword}" cannot be held. Say it in the description, and check it where the tool runs.`);
    if (node.patternProperties !== undefined && isPlainObject(node.additionalProperties) && !isEmpty(node.additionalProperties))
      refuse(
        path,
        'a schema in "additionalProperties" cannot be held beside "patternProperties". Say by another pattern which names it is for.',
      );
    const [target, within] = referred(node, above);
    const whole = listed(spread(typed(joined(typed(target)))), path);
    return mapChildren(completed(whole), (child, below) =>
      write(below[0] === "propertyNames" ? { type: "string", ...child } : child, [...path, ...below], within),
    );
  };
  const { $defs, ...rest } = root;
  const named = isPlainObject($defs) ? mapChildren({ $defs }, (child, path) => write(child, path)) : {};
  return { ...write(rest, []), ...named };
}

/** How many schemas one consists of with its references written in place; those that lead back to themselves count once. */
function sizeWithReferences(root: JsonObject): number {
  const sizes = new Map<string, number>();
  const sizeOf = (node: JsonObject): number => {
    let size = 0;
    walkNodes(without(node, ["$defs"]), ({ $ref: reference }) => {
      size += 1 + (typeof reference === "string" ? sizeBehind(reference) : 0);
    });
    return size;
  };
  const sizeBehind = (reference: string): number => {
    const known = sizes.get(reference);
    if (known !== undefined) return known;
    sizes.set(reference, 0);
    const target = valueAt(root, fromPointer(reference));
    const size = isPlainObject(target) ? sizeOf(target as JsonObject) : 0;
    sizes.set(reference, size);
    return size;
  };
  return sizeOf(root);
}

/** The schemas of allOf as one, as far as they can be written so. */
function joined(node: JsonObject): JsonObject {
  if (!Array.isArray(node.allOf)) return node;
  let whole = without(node, ["allOf"]);
  const apart: Json[] = [];
  for (const part of node.allOf as Json[]) {
    const isMergeable = isPlainObject(part) && !has(part as JsonObject, ["$ref", "allOf"]);
    const merged = isMergeable ? mergeOpen(whole, part as JsonObject) : undefined;
    if (merged) whole = merged;
    else apart.push(part);
  }
  return apart.length === 0 ? whole : { ...whole, allOf: apart };
}

/** A branch without a type is about values of the type that stands beside it. */
function typed(node: JsonObject): JsonObject {
  if (node.type === undefined) return node;
  const withType = (branch: Json) =>
    isPlainObject(branch) && !has(branch as JsonObject, ["type", "$ref", ...values, ...compositions])
      ? { ...(branch as JsonObject), type: node.type as Json }
      : branch;
  const changed = compositions.flatMap((keyword) =>
    Array.isArray(node[keyword]) ? [[keyword, (node[keyword] as Json[]).map(withType)] as const] : [],
  );
  return { ...node, ...Object.fromEntries(changed) };
}

/** Rules beside a list of schemas become part of each. */
function spread(node: JsonObject): JsonObject {
  const used = compositions.filter((keyword) => node[keyword] !== undefined);
  const [keyword] = used;
  if (keyword === undefined || keyword === "allOf" || used.length > 1) return node;
  const about = only(node, [...typedRules, "type"]);
  const listed = node[keyword] as Json[];
  const branches = branchesOf(node, keyword).flatMap((branch) =>
    has(branch, ["$ref", ...compositions]) ? [] : (mergeOpen(about, branch) ?? []),
  );
  return branches.length === listed.length ? { ...without(node, [...typedRules, "type"]), [keyword]: branches } : node;
}

/** Says what Zod leaves out where it is not said: the types that rules are for, items of lists, members that are required; one composition at a time. */
function completed(node: JsonObject): JsonObject {
  if (has(node, ["$ref", ...values])) return node;
  const isTyped = node.type !== undefined || has(node, typedRules);
  const used = compositions.filter((keyword) => node[keyword] !== undefined);
  if (!isTyped && used.length > 1)
    return {
      ...without(node, compositions),
      allOf: used.flatMap((keyword) => (keyword === "allOf" ? (node.allOf as Json[]) : [only(node, [keyword])])),
    };
  const whole: JsonObject = isTyped && node.type === undefined ? { ...anyValue, ...node } : node;
  const listed = typesOf(whole).includes("array") ? { items: true, ...whole } : whole;
  return typesOf(whole).includes("object") ? withRequired(listed) : listed;
}

/** One of the values, as a schema: Zod has no objects and lists among values, so these become schemas of their members and items. */
function schemaOf(all: readonly Json[]): JsonObject {
  const isScalar = (value: Json) => typeof value !== "object" || value === null;
  const scalars = all.filter(isScalar);
  const branches = [...(scalars.length > 0 ? [{ enum: scalars }] : []), ...all.filter((value) => !isScalar(value)).map(schemaOfStructure)];
  return branches.length === 1 ? (branches[0] as JsonObject) : { anyOf: branches };
}

function schemaOfStructure(value: Json): JsonObject {
  if (Array.isArray(value)) {
    const length = value.length;
    return {
      type: "array",
      ...(length > 0 && { prefixItems: value.map((item) => schemaOf([item])), items: false }),
      minItems: length,
      maxItems: length,
    };
  }
  const members = Object.entries(value as JsonObject).map(([name, member]) => [name, schemaOf([member as Json])] as const);
  return { type: "object", properties: Object.fromEntries(members), required: members.map(([name]) => name), additionalProperties: false };
}

/** Any value, but not none: Zod takes an absent member for one that has no schema. */
const anyValue: JsonObject = { type: ["string", "number", "boolean", "null", "object", "array"] };

/** Members that are required are held where they are described, so each gets a description. */
function withRequired(node: JsonObject): JsonObject {
  const described = new Map<string, Json>(propertiesOf(node));
  const missing = requiredOf(node).filter((name) => !described.has(name) || isEmpty(described.get(name)));
  if (missing.length === 0) return node;
  for (const name of missing)
    described.set(name, described.has(name) ? { ...(described.get(name) as JsonObject), ...anyValue } : otherIn(node, name));
  return { ...node, properties: Object.fromEntries(described) };
}

/** What an object says of a member that its properties do not name. */
function otherIn({ additionalProperties = true, patternProperties }: JsonObject, name: string): Json {
  const patterns = isPlainObject(patternProperties) ? Object.keys(patternProperties) : [];
  const matches = (pattern: string) => {
    const held = linearPattern(pattern);
    return "problem" in held || held.test(name);
  };
  return patterns.some(matches) || isEmpty(additionalProperties) ? anyValue : additionalProperties;
}

const isEmpty = (schema: Json | undefined) =>
  schema === true || (isPlainObject(schema) && !has(schema as JsonObject, ["type", "$ref", ...values, ...compositions, "not"]));

/** One schema that says what both say; undefined where there is none that can be written. */
function mergeOpen(left: JsonObject, right: JsonObject): JsonObject | undefined {
  const [first, second] = [withoutStrangers(left, right), withoutStrangers(right, left)];
  return first && second && isOpen(first, second) && isOpen(second, first) ? mergeSchemas(first, second) : undefined;
}

/** Without the members that a closed object beside it refuses; undefined where one of these is required. */
function withoutStrangers(node: JsonObject, { additionalProperties, patternProperties, properties }: JsonObject): JsonObject | undefined {
  if (additionalProperties !== false || patternProperties !== undefined || node.properties === undefined) return node;
  const isKnown = (name: string) => isPlainObject(properties) && Object.hasOwn(properties, name);
  if (!requiredOf(node).every(isKnown)) return undefined;
  return { ...node, properties: Object.fromEntries(propertiesOf(node).filter(([name]) => isKnown(name))) };
}

/** Whether a schema says nothing of members that another one names. */
function isOpen(node: JsonObject, other: JsonObject): boolean {
  if (!has(node, ["additionalProperties", "patternProperties"])) return true;
  const names = new Set(propertiesOf(node).map(([name]) => name));
  return propertiesOf(other).every(([name]) => names.has(name));
}

/** The values of a list, of which a single one may be left; undefined where there is no list. */
function valuesOf({ enum: list, const: one }: JsonObject): readonly Json[] | undefined {
  if (list !== undefined && !(Array.isArray(list) && list.length > 0)) return undefined;
  const all = (list ?? [one]) as readonly Json[];
  return one === undefined ? all : all.filter((value) => canonicalJson(value) === canonicalJson(one));
}

function typeOf(value: Json): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

/** Rules hold for values of their type alone. */
function rulesFor(rules: JsonObject, value: Json): JsonObject {
  const type = typeOf(value);
  const types = rules.type === undefined ? [type] : typesOf(rules);
  const isInteger = type === "number" && types.includes("integer") && !types.includes("number");
  return { ...only(rules, rulesOf(type)), type: types.includes(type) ? type : isInteger ? "integer" : (types as Json[]) };
}
