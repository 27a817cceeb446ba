import { canonicalJson, type Json, type JsonObject } from "../../contract/json.ts";
import { toPointer } from "../json-pointer.ts";
import { branchesOf, isNode, propertiesOf, requiredOf, type SchemaPath, typesOf } from "../schema-node.ts";
import { asIs, type Form, formOfObject, formOfPairs, type MemberForm } from "./form.ts";
import { nameForTarget } from "./name-for-target.ts";
import { aboutOf, asText, finish, type Rewriting, type Rewritten } from "./rewriting.ts";
import { describe } from "./say.ts";

/** What an object may hold beside its named members. */
interface OpenPart {
  readonly value: JsonObject;
  readonly key: JsonObject;
}

/** An object with named members; what has no name in the schema is a list of pairs, where objects are closed. */
export function rewriteObject(original: JsonObject, path: SchemaPath, run: Rewriting): Rewritten {
  const node = nameMembers(original);
  const members = propertiesOf(node);
  const open = openPart(node, path);
  const isRecord = open !== undefined && run.dialect.closedObjects;
  if (members.length > 0 || path.length === 0 || (open && !isRecord)) return rewriteMembers(node, open, { path, run });
  if (isRecord) return rewriteRecord(node, open, { path, run });
  if (run.dialect.emptyObjects) return { schema: close(finish({ ...node, properties: {} }, path, run), run), form: asIs };
  run.rewrites.push({ path: toPointer(path), form: "text", reason: "An object without members is asked for as JSON text." });
  return asText(node, "an empty object, as JSON text: {}", () => asIs);
}

/** Every member that is required or whose name is listed has a schema of its own. */
function nameMembers(node: JsonObject): JsonObject {
  const { propertyNames, ...rest } = node;
  const listed =
    isNode(propertyNames) && Array.isArray(propertyNames.enum)
      ? propertyNames.enum.filter((name: Json) => typeof name === "string")
      : undefined;
  const known = new Map(propertiesOf(node));
  const missing = [...requiredOf(node), ...(listed ?? [])].filter((name) => !known.has(name));
  if (missing.length === 0) return node;
  const others = isNode(node.additionalProperties) ? node.additionalProperties : {};
  const properties = Object.fromEntries([...known, ...missing.map((name): [string, JsonObject] => [name, others])]);
  return listed ? { ...rest, properties, additionalProperties: false } : { ...node, properties };
}

/** Undefined for an object that says nothing about other members, or that they may not be. */
function openPart(node: JsonObject, path: SchemaPath): OpenPart | undefined {
  const patterns = isNode(node.patternProperties) ? (Object.entries(node.patternProperties) as [string, JsonObject][]) : [];
  const others = node.additionalProperties ?? (patterns.length > 0 ? false : undefined);
  if (patterns.length === 0 && others === false) return undefined;
  const saysNothing = others === undefined && patterns.length === 0;
  if (saysNothing && (path.length === 0 || propertiesOf(node).length > 0)) return undefined;
  const values = [...patterns.map(([, schema]) => schema), ...(isNode(others) ? [others] : others === false ? [] : [{}])];
  const names = isNode(node.propertyNames) ? node.propertyNames : {};
  const only: JsonObject = patterns.length === 1 && others === false ? { pattern: patterns[0]![0] } : {};
  return { value: values.length === 1 ? values[0]! : { anyOf: values }, key: { ...names, ...only, type: "string" } };
}

interface Where {
  readonly path: SchemaPath;
  readonly run: Rewriting;
}

function rewriteRecord(node: JsonObject, open: OpenPart, { path, run }: Where): Rewritten {
  const { pairs, form } = writePairs(open, { path, run });
  const { minProperties, maxProperties } = node;
  const bounds = {
    ...(minProperties !== undefined && { minItems: minProperties }),
    ...(maxProperties !== undefined && { maxItems: maxProperties }),
  };
  run.rewrites.push({ path: toPointer(path), form: "pairs", reason: "A record is a list of pairs of key and value." });
  const said = describe(aboutOf(node), ["an object as a list of its keys and values, each key once"]);
  return { schema: finish({ ...said, type: "array", items: pairs, ...bounds }, path, run), form };
}

function writePairs({ key, value }: OpenPart, { path, run }: Where): { pairs: JsonObject; form: Form } {
  const inner = [...path, "additionalProperties"];
  const { schema, form } = run.rewrite(value, inner, run);
  const pairs = {
    type: "object",
    properties: { key: finish(key, [...path, "propertyNames"], run), value: schema },
    required: ["key", "value"],
  };
  return { pairs: close(pairs, run), form: formOfPairs(form) };
}

function rewriteMembers(node: JsonObject, open: OpenPart | undefined, { path, run }: Where): Rewritten {
  const required = new Set(requiredOf(node));
  const members = propertiesOf(node).map(([name, schema]) => rewriteMember(name, schema, { path, run, isRequired: required.has(name) }));
  const { patternProperties, propertyNames, additionalProperties, ...rest } = node;
  const listed = open && run.dialect.closedObjects ? writeRest(node, open, { path, run }) : undefined;
  const loose = open && !listed ? writeOthers(open, { path, run }) : undefined;
  const properties = Object.fromEntries([
    ...members.map(({ alias, schema }) => [alias, schema] as const),
    ...(listed ? [[listed.alias, listed.schema] as const] : []),
  ]);
  const { allRequired } = run.dialect;
  const names = allRequired ? Object.keys(properties) : members.filter(({ name }) => required.has(name)).map(({ alias }) => alias);
  const { required: named, ...kept } = rest;
  const others = {
    ...(additionalProperties !== undefined && !open && { additionalProperties }),
    ...(loose && { additionalProperties: loose.schema }),
    ...(loose && patternProperties !== undefined && { patternProperties }),
    ...(loose && propertyNames !== undefined && { propertyNames }),
  };
  const isRecord = loose !== undefined && members.length === 0 && path.length > 0;
  const written = {
    ...kept,
    ...(!isRecord && { properties }),
    ...((named !== undefined || allRequired) && { required: names }),
    ...others,
  };
  return { schema: close(finish(written, path, run), run), form: formOfObject(members, listed ?? loose) };
}

/** Members that the schema does not name, where an object may have such: of a type, or of any. */
function writeOthers({ value }: OpenPart, { path, run }: Where): { schema: Json; form: Form } {
  const isAny = [value, ...branchesOf(value, "anyOf")].some((each) => Object.keys(each).length === 0);
  return isAny ? { schema: true, form: asIs } : run.rewrite(value, [...path, "additionalProperties"], run);
}

function rewriteMember(
  name: string,
  node: JsonObject,
  { path, run, isRequired }: Where & { isRequired: boolean },
): MemberForm & { schema: JsonObject } {
  const { allRequired, memberNames } = run.dialect;
  const place = [...path, "properties", name];
  const { schema, form } = run.rewrite(node, place, isRequired ? run : { ...run, isOptional: true });
  const nullWhenAbsent = allRequired && !isRequired;
  if (nullWhenAbsent)
    run.rewrites.push({ path: toPointer(place), form: "null", reason: "The member is required, and null stands for an absent one." });
  const alias = memberNames ? nameForTarget(name, memberNames) : name;
  if (alias !== name)
    run.rewrites.push({ path: toPointer(place), form: "name", reason: `The name is not accepted: ${alias} stands for it.` });
  const named = alias === name ? schema : describe(schema, [`the member ${JSON.stringify(name)}`]);
  return { name, alias, form, nullWhenAbsent, schema: nullWhenAbsent ? withNull(named) : named };
}

/** A member of its own for those that the schema does not name. */
function writeRest(node: JsonObject, open: OpenPart, { path, run }: Where): { alias: string; schema: JsonObject; form: Form } {
  const { pairs, form } = writePairs(open, { path, run });
  const names = new Set(propertiesOf(node).map(([name]) => name));
  let alias = "other_members";
  while (names.has(alias)) alias = `${alias}_`;
  run.rewrites.push({
    path: toPointer(path),
    form: "rest",
    reason: `Members that the schema does not name are pairs of key and value in ${alias}.`,
  });
  const description = "Other members, as a list of their keys and values, each key once. Empty when there are none.";
  return { alias, schema: { type: "array", items: pairs, description }, form: isEmptyWhenAbsent(form) };
}

function isEmptyWhenAbsent(form: Form): Form {
  return { read: (value) => (value === null ? {} : form.read(value)), write: form.write };
}

function close(node: JsonObject, { dialect: { closedObjects } }: Rewriting): JsonObject {
  return closedObjects ? { ...node, additionalProperties: false } : node;
}

function withNull(node: JsonObject): JsonObject {
  const types = typesOf(node);
  if (types.includes("null") || branchesOf(node, "anyOf").some((branch) => branch.type === "null")) return node;
  if (node.$ref !== undefined || (types.length === 0 && !Array.isArray(node.anyOf))) return { anyOf: [node, { type: "null" }] };
  if (Array.isArray(node.anyOf)) return { ...node, anyOf: [...node.anyOf, { type: "null" }] };
  const { const: value, ...rest } = node;
  const values = value === undefined ? node.enum : [value];
  if (Array.isArray(values) && values.some((each) => canonicalJson(each) === "null"))
    return { ...rest, type: [...types, "null"], enum: values };
  return { ...rest, type: [...types, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}
