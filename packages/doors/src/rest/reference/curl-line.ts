import type { Json, JsonObject } from "@toolwright/engine";
import { type Endpoint, requiredOf } from "../openapi/endpoint.ts";
import { type FindSchema, resolveSchema } from "./schema-table.ts";

/** A request in a shell: `SERVER` and `KEY` are its variables. */
interface CurlRequest extends Pick<Endpoint, "method" | "path"> {
  readonly base: string;
  /** Without a key. */
  readonly open: boolean;
  /** JSON; undefined when there is none. */
  readonly body: Json | undefined;
}

export function curlLine({ method, path, base, open, body }: CurlRequest): string {
  const verb = method.toUpperCase();
  const usual = body === undefined ? "GET" : "POST";
  return [
    `curl -sS ${verb === usual ? "" : `-X ${verb} `}"$SERVER${base}${path}"`,
    ...(open ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

/** One word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Schemas that one outline looks at. */
const mostVisits = 200;

/** A value with what the schema requires, to be filled in. */
export function outlineOf(given: JsonObject, find: FindSchema, budget = { left: mostVisits }): Json {
  if (budget.left === 0) return {};
  budget.left -= 1;
  const schema = resolveSchema(given, find);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  if (schema.default !== undefined) return schema.default;
  const [type] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const [form] = [schema.anyOf, schema.oneOf].flatMap((forms) => (Array.isArray(forms) ? forms : [])) as JsonObject[];
  if (type === undefined && form !== undefined) return outlineOf(form, find, budget);
  switch (type) {
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "string":
      return "...";
    case "null":
      return null;
    default: {
      const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonObject>>;
      const members = requiredOf(schema).map((name) => [
        name,
        Object.hasOwn(properties, name) ? outlineOf(properties[name]!, find, budget) : "...",
      ]);
      return Object.fromEntries(members);
    }
  }
}
