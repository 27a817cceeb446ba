import { typesOf } from "../schema-node.ts";
import type { Dialect } from "./dialect.ts";

const formats = new Set(["date-time", "date", "time"]);

/**
 * Gemini function declarations, `parametersJsonSchema`: a part of JSON Schema. What is outside of that part is ignored there, so it is said in words. The field
 * `parameters` of the same declaration takes a part of OpenAPI 3.0 instead and refuses these schemas.
 */
export const gemini: Dialect = {
  sources: [
    {
      url: "https://ai.google.dev/api/generate-content#v1beta.GenerationConfig",
      read: "2026-11-29",
      says: "The keywords of JSON Schema that are supported; enum is for strings and numbers; nothing stands beside $ref; cyclic references are for members that are not required.",
    },
    {
      url: "https://ai.google.dev/gemini-api/docs/structured-output",
      read: "2026-11-29",
      says: 'Types, "null" in a list of types, formats of strings, tuples, and additionalProperties as a boolean or a schema.',
    },
    {
      url: "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration",
      read: "2026-11-29",
      says: "parametersJsonSchema is a JSON Schema of an object; names of functions and parameters begin with a letter or an underscore and have up to 64 characters; those of parameters are a-z, A-Z, 0-9 and underscores.",
    },
  ],
  keywords: new Set([
    ...["type", "title", "description", "enum", "anyOf", "items", "prefixItems", "properties", "required", "additionalProperties"],
    ...["format", "minItems", "maxItems", "minimum", "maximum", "$ref", "$defs"],
  ]),
  accepts: (keyword, value, node) => {
    if (keyword === "enum")
      return Array.isArray(value) && value.every((item) => typeof item === "number" || (typeof item === "string" && item !== ""));
    return keyword !== "format" || (typesOf(node).includes("string") && formats.has(String(value)));
  },
  root: { union: "flatten", refuses: new Set(["anyOf", "oneOf", "allOf"]) },
  toolNames: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
  memberNames: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
  strictMode: false,
  closedObjects: false,
  allRequired: false,
  typeLists: "null",
  nullInEnum: false,
  emptyObjects: true,
  distinctLeads: false,
  examples: "description",
  recursion: "optional",
  limits: {},
};
