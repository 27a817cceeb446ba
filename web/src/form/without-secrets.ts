import type { FormSpec } from "./form-plan.ts";
import type { Json, JsonSchema } from "./json-schema.ts";
import { resolve } from "./resolve.ts";

/** The schema of a tool's input, and how its form shows it. */
export interface Described {
  readonly inputSchema: unknown;
  readonly presentation: unknown;
}

/** An input without what its tool calls secret, at any depth: what a browser keeps and what is copied hold none of it. */
export function withoutSecrets(input: Json, { inputSchema, presentation }: Described): Json {
  const root = inputSchema as JsonSchema;
  const fields = (presentation as { readonly form?: FormSpec } | undefined)?.form?.fields ?? {};
  const open = isObject(input) ? Object.entries(input).filter(([name]) => widgetOf(fields, name) !== "password") : undefined;
  return strip(open ? Object.fromEntries(open) : input, [root], root) ?? null;
}

const widgetOf = (fields: NonNullable<FormSpec["fields"]>, name: string) =>
  Object.hasOwn(fields, name) ? fields[name]?.widget : undefined;

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined for what is a secret by one of the schemas that hold for it. */
function strip(value: Json, given: readonly (JsonSchema | boolean)[], root: JsonSchema): Json | undefined {
  const schemas = allOf(given, root);
  if (schemas.some(({ sensitive, writeOnly, format }) => sensitive === true || writeOnly === true || format === "password"))
    return undefined;
  if (Array.isArray(value)) {
    const of = (index: number) => schemas.flatMap(({ items, prefixItems }) => [prefixItems?.[index] ?? items ?? true]);
    return (value as readonly Json[]).flatMap((each, index) => strip(each, of(index), root) ?? []);
  }
  if (!isObject(value)) return value;
  const kept = Object.entries(value).map(([name, member]) => [name, strip(member, schemas.flatMap(membersOf(name)), root)] as const);
  return Object.fromEntries(kept.filter((each): each is [string, Json] => each[1] !== undefined));
}

/** The schemas of a member, of which those of its pattern may be several. */
function membersOf(name: string) {
  return ({ properties = {}, patternProperties = {}, additionalProperties = true }: JsonSchema): readonly (JsonSchema | boolean)[] => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const patterned = Object.values(patternProperties);
    return own ? [own, ...patterned] : [...patterned, additionalProperties];
  };
}

/** Each schema with those that it refers to and is put together from: one branch that calls it a secret is enough. */
function allOf(given: readonly (JsonSchema | boolean)[], root: JsonSchema): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const add = (schema: JsonSchema | boolean | undefined): void => {
    if (typeof schema !== "object" || found.has(schema)) return;
    found.add(schema);
    if (schema.$ref !== undefined) add(resolve(schema.$ref, root));
    for (const branch of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) add(branch);
    const { if: when, then, else: otherwise } = schema as Readonly<Record<string, JsonSchema | undefined>>;
    for (const branch of [when, then, otherwise]) add(branch);
  };
  for (const schema of given) add(schema);
  return [...found];
}
