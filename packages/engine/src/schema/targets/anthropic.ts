import { type Dialect, isPlainPattern } from "./dialect.ts";

const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]);

/** Claude with `strict: true` on the tool. Without it, the whole of JSON Schema 2020-12 passes except a union at the top. */
export const anthropic: Dialect = {
  source: "https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations",
  keywords: new Set([
    ...["type", "title", "description", "enum", "const", "default", "anyOf", "allOf", "items", "properties", "required"],
    ...["additionalProperties", "pattern", "format", "minItems"],
  ]),
  accepts: (keyword, value) => {
    if (keyword === "format") return formats.has(String(value));
    if (keyword === "pattern") return isPlainPattern(value);
    return keyword !== "minItems" || value === 0 || value === 1;
  },
  closedObjects: true,
  allRequired: false,
  nullable: "type",
  nullInEnum: true,
  examples: "field",
  recursion: false,
  // Counted over all strict tools of one request; one schema alone must stay below.
  limits: { optionalMembers: 24, unionMembers: 16 },
};
