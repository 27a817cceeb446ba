import { typesOf } from "../schema-node.ts";
import { type Dialect, isPlainPattern } from "./dialect.ts";

const formats = new Map<string, ReadonlySet<string>>([
  ["string", new Set(["date-time"])],
  ["integer", new Set(["int32", "int64"])],
  ["number", new Set(["float", "double"])],
]);

/** Gemini function declarations, `parameters`: a subset of OpenAPI 3.0. `default` is accepted there and ignored, so it becomes text. */
export const gemini: Dialect = {
  sources: [
    {
      url: "https://ai.google.dev/api/caching#Schema",
      read: "2026-11-23",
      says: "Fields of a schema; format of a string is enum or date-time; enum is for strings.",
    },
    {
      url: "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration",
      read: "2026-11-23",
      says: "Names of functions and parameters begin with a letter or an underscore and have up to 64 characters; those of parameters are a-z, A-Z, 0-9 and underscores.",
    },
  ],
  keywords: new Set([
    ...["type", "nullable", "title", "description", "enum", "anyOf", "items", "properties", "required", "format", "pattern"],
    ...["minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength", "minimum", "maximum"],
  ]),
  accepts: (keyword, value, node) => {
    if (keyword === "enum") return Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "");
    if (keyword === "pattern") return isPlainPattern(value);
    return keyword !== "format" || typesOf(node).some((type) => formats.get(type)?.has(String(value)));
  },
  root: { union: "flatten", refuses: new Set(["anyOf", "oneOf", "allOf"]) },
  toolNames: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
  memberNames: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
  strictMode: false,
  closedObjects: false,
  allRequired: false,
  nullable: "keyword",
  nullInEnum: false,
  emptyObjects: false,
  distinctLeads: false,
  examples: "description",
  recursion: false,
  limits: {},
};
