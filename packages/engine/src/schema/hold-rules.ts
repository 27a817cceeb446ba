import { isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import { fromPointer, toPointer, valueAt } from "./json-pointer.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { branchesOf, mapChildren, propertiesOf, requiredOf, type SchemaPath, typesOf } from "./schema-node.ts";

/** Whether a value is valid by a schema. */
export type Fits = (schema: JsonObject, value: Json) => boolean;

/** Keywords that say something of values of one type. */
const rulesOfTypes = new Map<string, readonly string[]>([
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"]],
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties"]],
]);
const typedRules: readonly string[] = [...rulesOfTypes.values()].flat();
const compositions = ["anyOf", "oneOf", "allOf"] as const;
const values = ["enum", "const"] as const;
const unheld = ["if", "then", "else", "dependentSchemas", "dependentRequired", "unevaluatedItems", "unevaluatedProperties"] as const;

const has = (node: JsonObject, keywords: readonly string[]) => keywords.some((keyword) => node[keyword] !== undefined);
const without = (node: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => !keywords.includes(keyword)));
const only = (node: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => keywords.includes(keyword)));

const mostReferences = 16;

/**
 * Writes a JSON Schema in the words of it that Zod holds: rules beside a reference, a list of values or other schemas become part of them. Throws an
 * `Error` that begins with the place of what cannot be written so.
 */
export function holdRules(root: JsonObject, fits: Fits): JsonObject {
  const refuse = (path: SchemaPath, problem: string): never => {
    throw new Error(`at ${toPointer(path) || "/"}: ${problem}`);
  };

  const referred = (node: JsonObject, depth = 0): JsonObject => {
    const { $ref: reference, ...beside } = node;
    const rules = [...typedRules, ...compositions, ...values, "type"];
    const target = typeof reference === "string" && has(beside, rules) ? valueAt(root, fromPointer(reference)) : undefined;
    if (!isPlainObject(target)) return node;
    const schema = target as JsonObject;
    const merged = depth < mostReferences && isOpen(schema, beside) && isOpen(beside, schema) ? mergeSchemas(beside, schema) : undefined;
    if (merged) return referred(merged, depth + 1);
    return { ...without(beside, rules), allOf: [{ $ref: reference as Json }, { ...only(schema, ["type"]), ...only(beside, rules) }] };
  };

  const joined = (node: JsonObject): JsonObject => {
    if (node.allOf === undefined) return node;
    let whole = without(node, ["allOf"]);
    const apart: JsonObject[] = [];
    for (const part of branchesOf(node, "allOf")) {
      const merged = part.$ref === undefined && isOpen(whole, part) && isOpen(part, whole) ? mergeSchemas(whole, part) : undefined;
      if (merged) whole = merged;
      else apart.push(part);
    }
    return apart.length === 0 ? whole : { ...whole, allOf: apart };
  };

  /** A branch without a type is about values of the type that stands beside it. */
  const typed = (node: JsonObject): JsonObject => {
    if (node.type === undefined) return node;
    const withType = (branch: Json) =>
      isPlainObject(branch) && !has(branch as JsonObject, ["type", "$ref", ...values, ...compositions])
        ? { ...(branch as JsonObject), type: node.type as Json }
        : branch;
    const changed = compositions.flatMap((keyword) =>
      Array.isArray(node[keyword]) ? [[keyword, (node[keyword] as Json[]).map(withType)] as const] : [],
    );
    return { ...node, ...Object.fromEntries(changed) };
  };

  /** The values that the rules beside them leave. */
  const listed = (node: JsonObject, path: SchemaPath): JsonObject => {
    if (!has(node, values)) return node;
    const all =
      node.const === undefined
        ? (node.enum as Json[])
        : Array.isArray(node.enum)
          ? [node.const].filter((value) => (node.enum as Json[]).includes(value as Json))
          : [node.const];
    if (!Array.isArray(all)) return refuse(path, '"enum" is no list. Write a list of values.');
    const beside = [...typedRules, ...compositions, "type", "not"];
    const rules = { ...only(node, beside), ...only(root, ["$defs"]) };
    const left = (all as Json[]).filter((value) => fits(rulesFor(rules, value), value));
    if (left.length === 0) return refuse(path, "no value of the list fits the rules beside it. Correct one or the other.");
    return { ...without(node, [...beside, ...values]), ...schemaOf(left) };
  };

  const write = (node: JsonObject, path: SchemaPath): JsonObject => {
    for (const keyword of unheld)
      if (node[keyword] !== undefined)
        refuse(path, `"${keyword}" cannot be held. Say it in the description, and check it where the tool runs.`);
    const whole = listed(typed(joined(typed(referred(node)))), path);
    if (!has(whole, ["type", "$ref", ...values]) && has(whole, typedRules))
      refuse(
        path,
        `rules without a type cannot be held: ${typedRules.filter((rule) => whole[rule] !== undefined).join(", ")}. Add "type".`,
      );
    const named = typesOf(whole).includes("object") ? withRequired(whole) : whole;
    return mapChildren(named, (child, below) =>
      write(below[0] === "propertyNames" ? { type: "string", ...child } : child, [...path, ...below]),
    );
  };
  return write(root, []);
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
  for (const name of missing) described.set(name, { ...(described.get(name) as JsonObject), ...anyValue });
  return { ...node, properties: Object.fromEntries(described) };
}

const isEmpty = (schema: Json | undefined) =>
  schema === true || (isPlainObject(schema) && !has(schema as JsonObject, ["type", "$ref", ...values, ...compositions, "not"]));

/** Whether a schema says nothing of members that another one names. */
function isOpen(node: JsonObject, other: JsonObject): boolean {
  if (!has(node, ["additionalProperties", "patternProperties"])) return true;
  const names = new Set(propertiesOf(node).map(([name]) => name));
  return propertiesOf(other).every(([name]) => names.has(name));
}

/** Rules hold for values of their type alone. */
function rulesFor(rules: JsonObject, value: Json): JsonObject {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const types = rules.type === undefined ? [type] : typesOf(rules);
  const isInteger = type === "number" && types.includes("integer") && !types.includes("number");
  const others = typedRules.filter((rule) => !rulesOfTypes.get(type)?.includes(rule));
  return { ...without(rules, others), type: types.includes(type) ? type : isInteger ? "integer" : (types as Json[]) };
}
