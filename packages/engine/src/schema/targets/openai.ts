import { type Dialect, isPlainPattern } from "./dialect.ts";

const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);

/** OpenAI function calling with `strict: true`. Lengths of strings and defaults are not among the supported keywords. */
export const openai: Dialect = {
  source: "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas",
  keywords: new Set([
    ...[
      "type",
      "title",
      "description",
      "enum",
      "const",
      "anyOf",
      "items",
      "properties",
      "required",
      "additionalProperties",
      "$ref",
      "$defs",
    ],
    ...["pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"],
  ]),
  accepts: (keyword, value) => (keyword === "pattern" ? isPlainPattern(value) : keyword !== "format" || formats.has(String(value))),
  closedObjects: true,
  allRequired: true,
  nullable: "type",
  nullInEnum: true,
  examples: "description",
  recursion: true,
  limits: { properties: 5000, depth: 10, enumValues: 1000 },
};
