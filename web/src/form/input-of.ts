import type { Json, JsonSchema } from "./json-schema.ts";

/**
 * What is sent of what a form holds. A member that nobody filled is absent: the empty objects and lists that a form makes for optional members
 * are left out, unless `before` has them, because then somebody wrote them as JSON.
 */
export function inputOf(data: unknown, schema: JsonSchema, before?: unknown): Json | undefined {
  if (Array.isArray(data)) {
    const { items } = schema;
    const item = typeof items === "object" ? items : {};
    const was = Array.isArray(before) ? before : [];
    return data.map((each, index) => inputOf(each, item, was[index]) ?? null);
  }
  if (typeof data !== "object" || data === null) return data as Json | undefined;
  const was = typeof before === "object" && before !== null ? (before as Record<string, unknown>) : {};
  const kept = Object.entries(data).flatMap(([name, value]): (readonly [string, Json])[] => {
    const member = inputOf(value, memberSchema(schema, name), was[name]);
    if (member === undefined) return [];
    const isOptional = schema.required?.includes(name) !== true;
    return isOptional && isEmpty(member, memberSchema(schema, name)) && !isEmpty(was[name], {}) ? [] : [[name, member]];
  });
  return Object.fromEntries(kept);
}

function memberSchema({ properties, oneOf }: JsonSchema, name: string): JsonSchema {
  const own = properties?.[name];
  if (own) return own;
  for (const branch of oneOf ?? []) if (typeof branch === "object" && branch.properties?.[name]) return branch.properties[name];
  return {};
}

/** Nothing but what the schema itself says: the mark of a branch is no word of a person. */
function isEmpty(value: unknown, schema: JsonSchema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(value).every((name) => "const" in memberSchema(schema, name));
}
