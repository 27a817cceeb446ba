import type { Json, JsonObject } from "@toolwright/engine";
import { nearestName, visibleText } from "@toolwright/engine/visible-text";
import { CliError } from "../cli-error.ts";

/** The parts of JSON Schema that say how a word of a command line becomes a value. */
interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Flag {
  readonly name: string;
  /** Undefined when no word follows. */
  readonly value: string | undefined;
}

/**
 * Makes an input of words after the tool's name: at most one JSON object, then fields (`--path README.md`, `--count=3`, `--dry-run`,
 * `--no-dry-run`, `--headers.accept text/html`). A field that stands twice makes a list. Fields win over the JSON object.
 */
export function readFields(words: readonly string[], schema: JsonObject, tool: string): JsonObject {
  const [first, ...rest] = words;
  const startsWithJson = first !== undefined && !first.startsWith("--");
  const base = startsWithJson ? parseObject(first, tool, schema) : {};
  const target = { fields: schema as FieldSchema, tool };
  return flagsOf(startsWithJson ? rest : words, target).reduce<JsonObject>((input, flag) => setField(input, flag, target), base);
}

/** True for a field of the schema, in any of its spellings. */
export function hasField(name: string, schema: JsonObject): boolean {
  return findField(name, schema as FieldSchema) !== undefined;
}

/** A line for each field: its name, what it takes, and what it is for. */
export function describeFields(schema: JsonObject): string {
  const fields = [...propertiesOf(schema as FieldSchema)];
  if (fields.length === 0) return "  (none)";
  return fields
    .map(
      ([name, field]) =>
        `  --${name} <${[...typesOf(field)].join("|") || "json"}>${field.description ? `  ${visibleText(field.description)}` : ""}`,
    )
    .join("\n");
}

/** Parses text that must be a JSON object. The schema is for the example in a message. */
export function parseObject(text: string, tool: string, schema: JsonObject): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CliError(
      `The input of "${tool}" is not JSON: ${problem}. Write an object, e.g. ${exampleObject(schema as FieldSchema)}${isFieldless(schema) ? "" : `, or fields: ${exampleOf({ fields: schema as FieldSchema })}`}.`,
    );
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new CliError(
    `The input of "${tool}" must be a JSON object, and this is ${Array.isArray(value) ? "a list" : `the ${typeof value} ${text.trim()}`}.`,
  );
}

interface Target {
  readonly fields: FieldSchema;
  readonly tool: string;
}

function flagsOf(words: readonly string[], target: Target): Flag[] {
  const flags: Flag[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (!word.startsWith("--") || word === "--") {
      throw new CliError(`"${word}" is neither JSON nor a field. Fields of "${target.tool}" start with --, e.g. ${exampleOf(target)}.`);
    }
    const [name = "", ...value] = word.slice(2).split("=");
    if (value.length > 0) flags.push({ name, value: value.join("=") });
    else if (takesNext(name, words[index + 1], target.fields)) flags.push({ name, value: words[++index] });
    else flags.push({ name, value: undefined });
  }
  return flags;
}

/** A switch takes the next word only when that says yes or no; any other field takes whatever follows. */
function takesNext(name: string, next: string | undefined, fields: FieldSchema): boolean {
  if (next === undefined) return false;
  const found = findField(name, fields);
  const types = found ? typesOf(found.schema) : new Set();
  if (types.has("boolean") && types.size === 1) return next === "true" || next === "false";
  return !next.startsWith("--") || next.includes(" ");
}

function setField(input: JsonObject, { name, value }: Flag, target: Target): JsonObject {
  const found = findField(name, target.fields) ?? findNegated(name, value, target.fields);
  if (!found) throw unknownField(name, target);
  const converted = found.negated ? false : convert(value, found.schema, { name, tool: target.tool });
  return setAt(input, found.path, (before) => (isList(found.schema) && before !== undefined ? append(before, converted) : converted));
}

interface Found {
  readonly path: readonly string[];
  readonly schema: FieldSchema;
  readonly negated?: boolean;
}

/** Case, `-` and `_` do not count, so `--start-line` finds `startLine`. */
const fold = (name: string) => name.toLowerCase().replace(/[-_]/g, "");

function findField(name: string, fields: FieldSchema): Found | undefined {
  const path: string[] = [];
  let schema: FieldSchema = fields;
  for (const part of name.split(".")) {
    const properties = propertiesOf(schema);
    if (properties.size === 0 && path.length > 0) {
      path.push(part);
      schema = {};
      continue;
    }
    const key = properties.has(part) ? part : [...properties.keys()].find((candidate) => fold(candidate) === fold(part));
    if (key === undefined) return undefined;
    path.push(key);
    schema = properties.get(key) as FieldSchema;
  }
  return { path, schema };
}

function findNegated(name: string, value: string | undefined, fields: FieldSchema): Found | undefined {
  if (!name.startsWith("no-") || value !== undefined) return undefined;
  const found = findField(name.slice(3), fields);
  return found && typesOf(found.schema).has("boolean") ? { ...found, negated: true } : undefined;
}

function propertiesOf(schema: FieldSchema): Map<string, FieldSchema> {
  const parts = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return new Map(parts.flatMap((part) => Object.entries(part.properties ?? {})));
}

function typesOf(schema: FieldSchema): Set<string> {
  const own = schema.type === undefined ? [] : [schema.type].flat();
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const nested = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((part) => [...typesOf(part)]);
  const types = new Set([...own, ...nested, ...(own.length > 0 ? [] : values.map((value) => (value === null ? "null" : typeof value)))]);
  types.delete("null");
  return types;
}

const isList = (schema: FieldSchema) => typesOf(schema).has("array");

function convert(value: string | undefined, schema: FieldSchema, at: { readonly name: string; readonly tool: string }): Json {
  const types = typesOf(schema);
  if (value === undefined) {
    if (types.has("boolean")) return true;
    throw new CliError(`--${at.name} of "${at.tool}" needs a value, e.g. --${at.name} <${[...types].join("|") || "value"}>.`);
  }
  if (types.has("array")) return convertList(value, schema, at);
  if (types.has("object") || types.size === 0) return parsedOr(value);
  if ((types.has("number") || types.has("integer")) && isNumber(value)) return Number(value);
  if (types.has("boolean") && (value === "true" || value === "false")) return value === "true";
  return value;
}

function convertList(value: string, schema: FieldSchema, at: { readonly name: string; readonly tool: string }): Json {
  const parsed = parsedOr(value);
  if (Array.isArray(parsed)) return parsed;
  const items = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].find((part) => part.items)?.items;
  return [convert(value, items ?? {}, at)];
}

const isNumber = (value: string) => value.trim() !== "" && Number.isFinite(Number(value));

function parsedOr(value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

function append(before: Json, more: Json): Json {
  return [...(Array.isArray(before) ? before : [before]), ...(Array.isArray(more) ? more : [more])];
}

/** Sets own members only: a field named `__proto__` is data. */
function setAt(input: JsonObject, path: readonly string[], change: (before: Json | undefined) => Json): JsonObject {
  const [key = "", ...rest] = path;
  const before = Object.hasOwn(input, key) ? input[key] : undefined;
  const inner = typeof before === "object" && before !== null && !Array.isArray(before) ? (before as JsonObject) : {};
  const value = rest.length === 0 ? change(before) : setAt(inner, rest, change);
  return Object.fromEntries([...Object.entries(input).filter(([name]) => name !== key), [key, value]]);
}

function unknownField(name: string, { fields, tool }: Target): CliError {
  const known = [...propertiesOf(fields).keys()];
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? "" : ` Did you mean --${nearest}?`;
  return new CliError(
    `"${tool}" has no field "${name}".${meant} ${known.length === 0 ? "It takes no fields." : `Its fields: ${known.map((field) => `--${field}`).join(", ")}.`}`,
  );
}

const isFieldless = (schema: JsonObject) => propertiesOf(schema as FieldSchema).size === 0;

/** The first field that the tool cannot do without, else its first. */
function firstField(fields: FieldSchema): string | undefined {
  const names = [...propertiesOf(fields).keys()];
  return names.find((name) => fields.required?.includes(name)) ?? names[0];
}

function exampleOf({ fields }: Pick<Target, "fields">): string {
  return `--${firstField(fields) ?? "field"} <value>`;
}

function exampleObject(fields: FieldSchema): string {
  const name = firstField(fields);
  return name === undefined ? "{}" : `'{${JSON.stringify(name)}: ...}'`;
}
