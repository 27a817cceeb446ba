import type { Json, JsonObject } from "@toolwright/engine";
import { html } from "hono/html";
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
const deepest = 4;

const isNode = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const nodesOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** The schema that a reference leads to, or the schema itself. */
export function resolveSchema(schema: JsonObject, find: FindSchema): JsonObject {
  if (typeof schema.$ref !== "string" || !schema.$ref.startsWith(schemasAt)) return schema;
  const { $ref, ...near } = schema;
  return { ...find($ref.slice(schemasAt.length)), ...near };
}

/** The members of a schema, each before those inside it. */
export function listMembers(schema: JsonObject, find: FindSchema): readonly SchemaRow[] {
  return rowsOf(schema, "", { find, open: [] });
}

interface Walk {
  readonly find: FindSchema;
  /** References that the walk is inside of. */
  readonly open: readonly string[];
}

function rowsOf(given: JsonObject, path: string, walk: Walk): readonly SchemaRow[] {
  const { $ref } = given;
  if (typeof $ref === "string" && walk.open.includes($ref)) return [];
  const inside: Walk = { ...walk, open: typeof $ref === "string" ? [...walk.open, $ref] : walk.open };
  if (path.split(/[.[]/).length > deepest) return [];
  const schema = resolveSchema(given, walk.find);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const own = Object.entries(isNode(schema.properties) ? schema.properties : {}).flatMap(([name, member]) => {
    if (!isNode(member)) return [];
    const at = path === "" ? name : `${path}.${name}`;
    return [rowOf(member, { path: at, required: required.has(name) }, inside), ...rowsOf(member, at, inside)];
  });
  const items = isNode(schema.items) ? rowsOf(schema.items, `${path}[]`, inside) : [];
  const forms = [...nodesOf(schema.anyOf), ...nodesOf(schema.oneOf), ...nodesOf(schema.allOf)].flatMap((form) =>
    rowsOf(form, path, inside),
  );
  return [...new Map([...own, ...items, ...forms].map((row) => [`${row.path} ${row.type}`, row])).values()];
}

function rowOf(member: JsonObject, at: Pick<SchemaRow, "path" | "required">, { find }: Walk): SchemaRow {
  const schema = resolveSchema(member, find);
  return { ...at, type: typeOf(schema, find), about: [schema.description, limitsOf(schema)].filter(Boolean).join(" ") };
}

/** In words: `integer or null`, `list of string`. */
export function typeOf(given: JsonObject, find: FindSchema): string {
  const schema = resolveSchema(given, find);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  const types = Array.isArray(schema.type) ? schema.type.map(String) : typeof schema.type === "string" ? [schema.type] : [];
  const named = types.map((type) => (type === "array" && isNode(schema.items) ? `list of ${typeOf(schema.items, () => undefined)}` : type));
  if (named.length > 0) return named.join(" or ");
  const forms = [...nodesOf(schema.anyOf), ...nodesOf(schema.oneOf)].map((form) => typeOf(form, () => undefined));
  return forms.length > 0 ? [...new Set(forms)].join(" or ") : typeof schema.$ref === "string" ? "object" : "any";
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

/** The members as a table; a sentence where there are none. */
export function schemaTable(schema: JsonObject, find: FindSchema): Html {
  const rows = listMembers(schema, find);
  if (rows.length === 0) return html`<p class="dim">No members: ${typeOf(schema, find)}.</p>`;
  return memberTable(rows);
}

export function memberTable(rows: readonly SchemaRow[]): Html {
  return html`<div class="scroll"><table><thead><tr><th>Member</th><th>Type</th><th>About</th></tr></thead><tbody>${rows.map(
    ({ path, type, required, about }) =>
      html`<tr><td><code>${path}</code>${!required && html` <span class="dim">optional</span>`}</td><td>${type}</td><td>${words(about)}</td></tr>`,
  )}</tbody></table></div>`;
}
