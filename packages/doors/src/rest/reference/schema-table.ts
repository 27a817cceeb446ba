import type { Json, JsonObject } from "@toolwright/engine";
import { html } from "hono/html";
import { requiredOf } from "../openapi/endpoint.ts";
import { schemasAt } from "../openapi/result-schemas.ts";
import { type Html, words } from "./page.ts";

/** Finds a schema of the document by its name. */
export type FindSchema = (name: string) => JsonObject | undefined;

/** One member, at whatever depth, as a line of a table. */
export interface SchemaRow {
  /** `where.from`, `items[].id`. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly about: string;
}

/** Levels of members that are shown; what is deeper has its type. */
const deepest = 5;
/** Schemas that one table looks at: definitions that contain each other stand for more members than anybody reads. */
const mostVisits = 2_000;
/** Values of an enum that are named. */
const mostValues = 20;

const isNode = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const nodesOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** The schema that a reference leads to, or the schema itself. */
export function resolveSchema(schema: JsonObject, find: FindSchema): JsonObject {
  if (typeof schema.$ref !== "string" || !schema.$ref.startsWith(schemasAt)) return schema;
  const { $ref, ...near } = schema;
  return { ...find($ref.slice(schemasAt.length)), ...near };
}

/** The members of a schema, each before those inside it; `whole` is false where there are more. */
export function listMembers(schema: JsonObject, find: FindSchema): { readonly rows: readonly SchemaRow[]; readonly whole: boolean } {
  const walk: Walk = { find, rows: new Map(), seen: new Set(), left: mostVisits };
  visit(schema, "", walk);
  return { rows: [...walk.rows.values()], whole: walk.left > 0 };
}

interface Walk {
  readonly find: FindSchema;
  readonly rows: Map<string, SchemaRow>;
  /** References that were followed at a path. */
  readonly seen: Set<string>;
  left: number;
}

function visit(given: JsonObject, path: string, walk: Walk): void {
  if (walk.left === 0 || (path !== "" && path.split(/[.[]/).length >= deepest)) return;
  walk.left -= 1;
  if (given.$ref !== undefined) {
    const place = `${path} ${String(given.$ref)}`;
    if (walk.seen.has(place)) return;
    walk.seen.add(place);
  }
  const schema = resolveSchema(given, walk.find);
  const required = requiredOf(schema);
  for (const [name, member] of Object.entries(isNode(schema.properties) ? schema.properties : {})) {
    if (!isNode(member)) continue;
    const row = rowOf(member, { path: path === "" ? name : `${path}.${name}`, required: required.includes(name) }, walk.find);
    walk.rows.set(`${row.path} ${row.type}`, row);
    visit(member, row.path, walk);
  }
  if (isNode(schema.items)) visit(schema.items, `${path}[]`, walk);
  for (const form of [schema.anyOf, schema.oneOf, schema.allOf].flatMap(nodesOf)) visit(form, path, walk);
}

function rowOf(member: JsonObject, at: Pick<SchemaRow, "path" | "required">, find: FindSchema): SchemaRow {
  const schema = resolveSchema(member, find);
  return { ...at, type: typeOf(schema, find), about: [schema.description, limitsOf(schema)].filter(Boolean).join(" ") };
}

/** In words: `integer or null`, `list of string`. */
export function typeOf(given: JsonObject, find: FindSchema): string {
  const schema = resolveSchema(given, find);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) {
    const more = schema.enum.length > mostValues ? [`${schema.enum.length - mostValues} more`] : [];
    return [...schema.enum.slice(0, mostValues).map((value) => JSON.stringify(value)), ...more].join(" or ");
  }
  const types = Array.isArray(schema.type) ? schema.type.map(String) : typeof schema.type === "string" ? [schema.type] : [];
  const named = types.map((type) => (type === "array" && isNode(schema.items) ? `list of ${typeOf(schema.items, () => undefined)}` : type));
  if (named.length > 0) return named.join(" or ");
  const forms = [...nodesOf(schema.anyOf), ...nodesOf(schema.oneOf)].map((form) => typeOf(form, () => undefined));
  return forms.length > 0 ? [...new Set(forms)].join(" or ") : typeof given.$ref === "string" ? "object" : "any";
}

const limits: readonly (readonly [keyword: string, word: string])[] = [
  ["minimum", "at least"],
  ["exclusiveMinimum", "more than"],
  ["maximum", "at most"],
  ["exclusiveMaximum", "less than"],
  ["minLength", "length at least"],
  ["maxLength", "length at most"],
  ["minItems", "items: at least"],
  ["maxItems", "items: at most"],
  ["pattern", "matches"],
  ["format", "format"],
  ["default", "default"],
];

function limitsOf(schema: JsonObject): string {
  const said = limits.flatMap(([keyword, word]) =>
    schema[keyword] === undefined ? [] : [`${word} \`${JSON.stringify(schema[keyword])}\``],
  );
  return said.length === 0 ? "" : `(${said.join(", ")})`;
}

/** The members as a table; a sentence where there are none, or more. */
export function schemaTable(schema: JsonObject, find: FindSchema): Html {
  const { rows, whole } = listMembers(schema, find);
  if (rows.length === 0) return html`<p class="dim">No members: ${typeOf(schema, find)}.</p>`;
  return html`${memberTable(rows)}${!whole && html`<p class="dim">There are more members: openapi.json has all of them.</p>`}`;
}

export function memberTable(rows: readonly SchemaRow[]): Html {
  return html`<div class="scroll"><table><thead><tr><th>Member</th><th>Type</th><th>About</th></tr></thead><tbody>${rows.map(
    ({ path, type, required, about }) =>
      html`<tr><td><code>${path}</code>${!required && html` <span class="dim">optional</span>`}</td><td>${type}</td><td>${words(about)}</td></tr>`,
  )}</tbody></table></div>`;
}
