import { canonicalJson, type Json, type JsonObject } from "../../contract/json.ts";
import { toPointer } from "../json-pointer.ts";
import { portablePattern } from "../portable-pattern.ts";
import { branchesOf, mapChildren, propertiesOf, requiredOf, type SchemaPath, typesOf } from "../schema-node.ts";
import type { Dialect } from "./dialect.ts";

/** Something that a target's schema cannot say. */
export interface SchemaLoss {
  /** JSON pointer into the schema that was rewritten. */
  readonly path: string;
  readonly keyword: string;
  readonly reason: string;
}

interface Rewriting {
  readonly dialect: Dialect & { readonly keywords: ReadonlySet<string> };
  readonly losses: SchemaLoss[];
}

export function rewriteSchema(schema: JsonObject, dialect: Dialect): { schema: JsonObject; losses: readonly SchemaLoss[] } {
  const { keywords } = dialect;
  const losses: SchemaLoss[] = [];
  const readable = makeReadable(schema, [], { dialect, losses });
  if (keywords === "any") return { schema: readable, losses };
  const { $defs: _, ...inlined } = readable;
  return { schema: rewrite(dialect.recursion ? readable : inlined, [], { dialect: { ...dialect, keywords }, losses }), losses };
}

/** What every target needs: patterns that any language compiles, and null outside enums where it may not be in one. An equal schema is the same object. */
function makeReadable(node: JsonObject, path: SchemaPath, run: { readonly dialect: Dialect; readonly losses: SchemaLoss[] }): JsonObject {
  let changed = false;
  const visited = mapChildren(node, (child, below) => {
    const made = makeReadable(child, [...path, ...below], run);
    changed ||= made !== child;
    return made;
  });
  const readable = spellPattern(changed ? visited : node, path, run.losses);
  return run.dialect.nullInEnum ? readable : takeNullOut(readable);
}

function spellPattern(node: JsonObject, path: SchemaPath, losses: SchemaLoss[]): JsonObject {
  if (typeof node.pattern !== "string") return node;
  const portable = portablePattern(node.pattern);
  if (portable === node.pattern) return node;
  if (portable !== undefined) return { ...node, pattern: portable };
  const { pattern, ...rest } = node;
  losses.push({ path: toPointer(path), keyword: "pattern", reason: "Not every language reads this expression: said in the description." });
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

function describe(node: JsonObject, said: readonly string[]): JsonObject {
  const { description } = node;
  return { ...node, description: `${typeof description === "string" ? `${description} ` : ""}(${said.join("; ")})` };
}

function rewrite(node: JsonObject, path: SchemaPath, run: Rewriting): JsonObject {
  const standIn = replaceWhole(node, path, run);
  if (standIn) return standIn;
  let result = mapChildren(node, (child, below) => rewrite(child, [...path, ...below], run));
  result = unifyUnions(result, path, run);
  result = run.dialect.nullable === "keyword" ? useNullableKeyword(result) : result;
  result = dropUnsupported(result, path, run);
  if (run.dialect.closedObjects && typesOf(result).includes("object")) result = { ...result, additionalProperties: false };
  return run.dialect.allRequired ? requireAll(result, node) : result;
}

const annotations = new Set(["title", "description", "default"]);

/** Schemas that have no form at all in the dialect. As JSON text a model can still give them: the engine's repair reads it. */
function replaceWhole(node: JsonObject, path: SchemaPath, { dialect, losses }: Rewriting): JsonObject | undefined {
  const lose = (keyword: string, reason: string) => losses.push({ path: toPointer(path), keyword, reason });
  const described = typeof node.description === "string" ? `${node.description} ` : "";
  if (node.$ref !== undefined && !dialect.recursion) {
    lose("$ref", "A schema cannot contain itself: the inner value is asked for as JSON text.");
    return { type: "string", description: `${described}(as JSON text, of the same form as the value that contains it)` };
  }
  const isOpen = typesOf(node).includes("object") && node.additionalProperties !== false;
  if (isOpen && propertiesOf(node).length === 0 && path.length > 0) {
    lose("additionalProperties", "Members without fixed names cannot be said: the record is asked for as JSON text.");
    const values = typeof node.additionalProperties === "object" ? `, values like ${canonicalJson(node.additionalProperties)}` : "";
    return { type: "string", description: `${described}(an object as JSON text${values})` };
  }
  if (isOpen && dialect.closedObjects) lose("additionalProperties", "Only named members can be said: others are not offered.");
  const isUntyped = Object.keys(node).every((keyword) => annotations.has(keyword));
  if (!isUntyped) return undefined;
  lose("type", "A value of any type cannot be said: text is asked for.");
  return { ...(described ? { description: described.trim() } : {}), type: "string" };
}

/** `oneOf` becomes `anyOf`, and `const` becomes an enum of one, where only those are known. */
function unifyUnions(node: JsonObject, path: SchemaPath, { dialect, losses }: Rewriting): JsonObject {
  let result = node;
  if (result.const !== undefined && !dialect.keywords.has("const")) {
    const { const: value, ...rest } = result;
    result = { ...rest, enum: [value] };
  }
  if (result.oneOf !== undefined && !dialect.keywords.has("oneOf")) {
    const { oneOf, ...rest } = result;
    losses.push({ path: toPointer(path), keyword: "oneOf", reason: "Exactly one becomes at least one." });
    result = { ...rest, anyOf: oneOf ?? [] };
  }
  return result.anyOf === undefined ? result : { ...result, anyOf: branchesOf(result, "anyOf").flatMap(spliceUnion) };
}

/** A branch that is nothing but a union gives its own branches. */
function spliceUnion(branch: JsonObject): JsonObject[] {
  return Object.keys(branch).join() === "anyOf" ? branchesOf(branch, "anyOf") : [branch];
}

/** OpenAPI 3.0: one type a schema, `nullable` beside it, and nothing beside `anyOf`. */
function useNullableKeyword(node: JsonObject): JsonObject {
  const types = typesOf(node);
  const branches = branchesOf(node, "anyOf");
  const isNull = (branch: JsonObject) => branch.type === "null";
  if (branches.length > 0) {
    const { anyOf: _, description, ...rest } = node;
    const kept = branches.filter((branch) => !isNull(branch));
    const nullable: JsonObject = kept.length < branches.length ? { nullable: true } : {};
    const about: JsonObject = description === undefined ? {} : { description };
    const merged = kept.map((branch): JsonObject => ({ ...rest, ...about, ...branch, ...nullable }));
    return merged.length === 1 ? { ...merged[0], ...about } : { anyOf: merged };
  }
  if (!Array.isArray(node.type)) return node;
  const others = types.filter((type) => type !== "null");
  const values: JsonObject = Array.isArray(node.enum) ? { enum: node.enum.filter((value: Json) => value !== null) } : {};
  const nullable: JsonObject = others.length < types.length ? { nullable: true } : {};
  if (others.length === 1) return { ...node, type: others[0]!, ...values, ...nullable };
  return { anyOf: others.map((type) => ({ ...node, type, ...values, ...nullable })) };
}

const silent = new Set(["additionalProperties", "$schema"]);

/** Drops what the dialect does not know, and says constraints in the description instead. */
function dropUnsupported(node: JsonObject, path: SchemaPath, { dialect, losses }: Rewriting): JsonObject {
  const kept: [string, Json][] = [];
  const said: string[] = [];
  for (const [keyword, value] of Object.entries(node)) {
    const known = dialect.keywords.has(keyword);
    if (known && (dialect.accepts?.(keyword, value, node) ?? true)) {
      kept.push([keyword, value]);
      continue;
    }
    losses.push({
      path: toPointer(path),
      keyword,
      reason: `${known ? "This value is" : "It is"} not supported${silent.has(keyword) ? "." : ": said in the description."}`,
    });
    if (!silent.has(keyword)) said.push(`${keyword}: ${typeof value === "string" ? value : canonicalJson(value)}`);
  }
  const result = Object.fromEntries(kept);
  return said.length === 0 ? result : describe(result, said);
}

function requireAll(node: JsonObject, original: JsonObject): JsonObject {
  const members = propertiesOf(node);
  if (node.properties === undefined) return node;
  const required = new Set(requiredOf(original));
  const properties = Object.fromEntries(members.map(([name, member]) => [name, required.has(name) ? member : withNull(member)]));
  return { ...node, properties, required: members.map(([name]) => name) };
}

function withNull(node: JsonObject): JsonObject {
  const types = typesOf(node);
  if (types.includes("null") || branchesOf(node, "anyOf").some((branch) => branch.type === "null")) return node;
  if (node.$ref !== undefined || (types.length === 0 && !Array.isArray(node.anyOf))) return { anyOf: [node, { type: "null" }] };
  if (Array.isArray(node.anyOf)) return { ...node, anyOf: [...node.anyOf, { type: "null" }] };
  const { const: value, ...rest } = node;
  const values = value === undefined ? node.enum : [value];
  return { ...rest, type: [...types, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}
