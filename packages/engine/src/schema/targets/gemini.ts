import { typesOf } from "../schema-node.ts";
import { type Dialect, isPlainPattern } from "./dialect.ts";

const formats = new Map<string, ReadonlySet<string>>([
  ["string", new Set(["date-time"])],
  ["integer", new Set(["int32", "int64"])],
  ["number", new Set(["float", "double"])],
]);

/** Gemini function declarations, `parameters`: a subset of OpenAPI 3.0. `default` is accepted there and ignored, so it becomes text. */
export const gemini: Dialect = {
  source: "https://ai.google.dev/api/caching#Schema",
  keywords: new Set([
    ...["type", "nullable", "title", "description", "enum", "anyOf", "items", "properties", "required", "format", "pattern"],
    ...["minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength", "minimum", "maximum"],
  ]),
  accepts: (keyword, value, node) => {
    if (keyword === "enum") return Array.isArray(value) && value.every((item) => typeof item === "string");
    if (keyword === "pattern") return isPlainPattern(value);
    return keyword !== "format" || typesOf(node).some((type) => formats.get(type)?.has(String(value)));
  },
  closedObjects: false,
  allRequired: false,
  nullable: "keyword",
  nullInEnum: false,
  examples: "description",
  recursion: false,
  limits: {},
};
