import { ToolwrightError } from "../contract/errors.ts";
import { findNonJson, isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import { fromPointer, toPointer, valueAt } from "./json-pointer.ts";
import { branchesOf, isNode, propertiesOf, requiredOf, type SchemaPath, typesOf } from "./schema-node.ts";

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
/** Names of dialects and places, which mean nothing where the schema stands alone. */
const dropped = new Set([
  "$schema",
  "$id",
  "id",
  "$comment",
  "$anchor",
  "$vocabulary",
  "definitions",
  "$defs",
  "nullable",
  "additionalItems",
  "dependencies",
]);
const annotations = new Set(["title", "description", "default", "examples"]);
/** References are written in place, and a few of them can stand for a schema beyond all bounds. */
const mostNodes = 20_000;

/**
 * Reads a JSON Schema of any draft from 04 on, or of OpenAPI 3.0, as one of draft 2020-12 that stands alone: references are written in place, those of a
 * schema to itself point into `$defs`, and types that its keywords imply are named. Throws `schema_refused` for what is no such schema.
 */
export function upgradeSchema(schema: unknown, tool = "the tool"): JsonObject {
  const foreign = findNonJson(schema, 128);
  if (foreign || !isPlainObject(schema)) refuse(tool, "", foreign?.problem ?? "is not an object", "Give a JSON Schema as an object.");
  return new Upgrade(schema as JsonObject, tool).run();
}

function refuse(tool: string, path: string, problem: string, fix: string): never {
  throw new ToolwrightError("schema_refused", `The schema of ${tool} was refused: ${path || "/"} ${problem}. ${fix}`, {
    details: [{ rule: "representable", path: path || "/", problem, fix }],
  });
}

class Upgrade {
  readonly #root: JsonObject;
  readonly #tool: string;
  readonly #open: string[] = [];
  /** Definitions that refer to themselves, by pointer. */
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, JsonObject>();
  #nodes = 0;

  constructor(root: JsonObject, tool: string) {
    this.#root = root;
    this.#tool = tool;
  }

  run(): JsonObject {
    const upgraded = this.#follow("#", []);
    const definitions = Object.fromEntries([...this.#definitions].map(([pointer, schema]) => [this.#names.get(pointer)!, schema]));
    if (this.#definitions.size === 0) return upgraded;
    const { $ref, ...rest } = upgraded;
    const top = typeof $ref === "string" ? definitions[$ref.slice("#/$defs/".length)] : undefined;
    return { ...top, ...rest, $defs: definitions };
  }

  /** The schema at a pointer: in place, or as a reference where it contains itself. */
  #follow(pointer: string, path: SchemaPath): JsonObject {
    if (this.#definitions.has(pointer)) return this.#refer(pointer);
    if (this.#open.includes(pointer)) return this.#refer(pointer);
    const target = pointer === "#" ? this.#root : valueAt(this.#root, fromPointer(decode(pointer)));
    if (!pointer.startsWith("#") || target === undefined)
      this.#refuse(path, `refers to ${JSON.stringify(pointer)}, which is not in it`, "Write the schema in place: nothing is fetched.");
    this.#open.push(pointer);
    const schema = this.#upgrade(target as Json, path);
    this.#open.pop();
    if (!this.#names.has(pointer)) return schema;
    this.#definitions.set(pointer, schema);
    return this.#refer(pointer);
  }

  #refer(pointer: string): JsonObject {
    const name = this.#names.get(pointer) ?? this.#nameOf(pointer);
    this.#names.set(pointer, name);
    return { $ref: `#/$defs/${name}` };
  }

  #nameOf(pointer: string): string {
    const base = (fromPointer(decode(pointer)).at(-1) ?? "root").replaceAll(/[^a-zA-Z0-9_.-]/g, "_");
    const taken = new Set(this.#names.values());
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    return name;
  }

  #upgrade(schema: Json, path: SchemaPath): JsonObject {
    if (++this.#nodes > mostNodes)
      this.#refuse(path, `stands for more than ${mostNodes} schemas once its references are written in place`, "Use fewer references.");
    if (schema === true) return {};
    if (schema === false) return { not: {} };
    if (!isNode(schema)) this.#refuse(path, `is ${JSON.stringify(schema)}, which is no schema`, 'Write an object: { "type": ... }.');
    const { $ref, ...rest } = schema;
    if (typeof $ref === "string") return this.#beside(this.#follow($ref, path), rest, path);
    return addNull(this.#readTypes(this.#readKeywords(schema, path), path), schema.nullable === true);
  }

  /** Keywords beside a reference hold as well; annotations beside it are the nearer ones. */
  #beside(target: JsonObject, rest: JsonObject, path: SchemaPath): JsonObject {
    const near = this.#readKeywords(rest, path);
    const isAnnotation = Object.keys(near).every((keyword) => annotations.has(keyword));
    return addNull(
      isAnnotation ? { ...target, ...near } : { ...near, allOf: [target, ...branchesOf(near, "allOf")] },
      rest.nullable === true,
    );
  }

  #readKeywords(node: JsonObject, path: SchemaPath): JsonObject {
    const kept = Object.entries(node).flatMap(([keyword, value]): [string, Json][] => {
      if (dropped.has(keyword) || (keyword.startsWith("x-") && keyword !== "x-mcp-header")) return [];
      return this.#readKeyword(keyword, value, { node, path });
    });
    const read = { ...Object.fromEntries(kept), ...this.#readDependencies(node.dependencies, path) };
    const lifted = propertiesOf(node).flatMap(([name, member]) => (isNode(member) && member.required === true ? [name] : []));
    return lifted.length === 0 ? read : { ...read, required: [...new Set([...requiredOf(read), ...lifted])] };
  }

  #readKeyword(keyword: string, value: Json, { node, path }: { node: JsonObject; path: SchemaPath }): [string, Json][] {
    const one = (schema: Json, ...more: SchemaPath) => this.#upgrade(schema, [...path, keyword, ...more]);
    switch (keyword) {
      case "properties":
      case "patternProperties":
      case "dependentSchemas":
        if (!isNode(value)) this.#refuse([...path, keyword], "is not an object of schemas", "Write a schema for each name.");
        return [[keyword, Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, one(schema, name)]))]];
      case "anyOf":
      case "oneOf":
      case "allOf":
      case "prefixItems":
        if (!Array.isArray(value) || value.length === 0)
          this.#refuse([...path, keyword], "is not a list of schemas", "Write at least one schema.");
        return [[keyword, value.map((schema: Json, index) => one(schema, index))]];
      case "items":
        if (!Array.isArray(value)) return [[keyword, value === false ? false : one(value)]];
        return [["prefixItems", value.map((schema: Json, index) => one(schema, index))], ...rest("items", node.additionalItems, one)];
      case "additionalProperties":
        return [[keyword, typeof value === "boolean" ? value : one(value)]];
      case "not":
      case "if":
      case "then":
      case "else":
      case "contains":
      case "propertyNames":
        return [[keyword, one(value)]];
      // Draft 04: `exclusiveMinimum: true` makes `minimum` exclusive.
      case "minimum":
        return [[node.exclusiveMinimum === true ? "exclusiveMinimum" : keyword, value]];
      case "maximum":
        return [[node.exclusiveMaximum === true ? "exclusiveMaximum" : keyword, value]];
      case "exclusiveMinimum":
      case "exclusiveMaximum":
        return typeof value === "number" ? [[keyword, value]] : [];
      case "required":
        return Array.isArray(value) ? [[keyword, [...new Set(value)]]] : [];
      default:
        return [[keyword, value]];
    }
  }

  #readDependencies(dependencies: Json | undefined, path: SchemaPath): JsonObject {
    if (!isNode(dependencies)) return {};
    const entries = Object.entries(dependencies);
    const names = entries.filter(([, needs]) => Array.isArray(needs));
    const schemas = entries
      .filter(([, needs]) => !Array.isArray(needs))
      .map(([name, schema]) => [name, this.#upgrade(schema, [...path, "dependencies", name])]);
    return {
      ...(names.length > 0 && { dependentRequired: Object.fromEntries(names) }),
      ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
    };
  }

  /** Names the type that the keywords imply, and completes lists and objects without content, which some providers refuse. */
  #readTypes(node: JsonObject, path: SchemaPath): JsonObject {
    const known = typesOf(node);
    const strange = known.find((type) => !types.has(type));
    if (strange !== undefined)
      this.#refuse(
        path,
        `has the type ${JSON.stringify(strange)}, which JSON Schema does not know`,
        `Use one of ${[...types].join(", ")}.`,
      );
    const type = node.type ?? impliedType(node);
    const typed: JsonObject = type === undefined || node.type !== undefined ? node : { type, ...node };
    const kinds = typesOf(typed);
    if (kinds.includes("array") && typed.items === undefined && typed.prefixItems === undefined) return { ...typed, items: {} };
    const isEmpty = typed.properties === undefined && typed.additionalProperties === undefined && typed.patternProperties === undefined;
    return kinds.length === 1 && kinds[0] === "object" && isEmpty && path.length === 0 ? { ...typed, properties: {} } : typed;
  }

  #refuse(path: SchemaPath, problem: string, fix: string): never {
    return refuse(this.#tool, toPointer(path), problem, fix);
  }
}

function rest(keyword: string, value: Json | undefined, read: (schema: Json) => JsonObject): [string, Json][] {
  if (value === undefined || value === true) return [];
  return [[keyword, value === false ? false : read(value)]];
}

function impliedType(node: JsonObject): Json | undefined {
  const values = node.const !== undefined ? [node.const] : node.enum;
  if (Array.isArray(values)) {
    const found = [...new Set(values.map((value: Json) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)))];
    return found.length === 1 ? found[0] : found;
  }
  if (node.properties !== undefined || node.patternProperties !== undefined) return "object";
  return node.items !== undefined || node.prefixItems !== undefined ? "array" : undefined;
}

/** OpenAPI 3.0 says null with a keyword of its own. */
function addNull(node: JsonObject, nullable: boolean): JsonObject {
  if (!nullable) return node;
  const known = typesOf(node);
  if (known.length === 0) return { anyOf: [node, { type: "null" }] };
  const values: JsonObject = Array.isArray(node.enum) && !node.enum.includes(null) ? { enum: [...node.enum, null] } : {};
  return { ...node, type: [...new Set([...known, "null"])], ...values };
}

function decode(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
