import { type Dialect, isPlainPattern, providerNames } from "./dialect.ts";

const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);
const atTheTop = {
  url: "https://github.com/langchain-ai/langchainjs/issues/9804",
  read: "2026-11-23",
  says: 'The API\'s own error: schema must have type "object" and not have oneOf, anyOf, allOf, enum or not at the top level.',
};
const refuses = new Set(["oneOf", "anyOf", "allOf", "enum", "const", "not"]);

/** OpenAI function calling with `strict: true`. Lengths of strings and defaults are not among the supported keywords. */
export const openaiStrict: Dialect = {
  sources: [
    {
      url: "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas",
      says: "Keywords, formats, an object without anyOf at the top, all members required, objects closed; 5000 members, 10 levels, 1000 enum values, 120,000 characters of names and values, 15,000 in one enum of more than 250.",
    },
    {
      url: "https://jsonschemaprofiles.unitvectorylabs.com/schemas/openai",
      read: "2026-11-23",
      says: "The same keywords and limits, as a profile of that page of February 2026.",
    },
    atTheTop,
    {
      url: "https://github.com/openai/openai-python/issues/2193",
      read: "2026-11-23",
      says: "Objects provided via anyOf must not share identical first keys.",
    },
  ],
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
  root: { union: "wrap", refuses },
  toolNames: providerNames,
  strictMode: true,
  closedObjects: true,
  allRequired: true,
  typeLists: "any",
  nullInEnum: true,
  emptyObjects: true,
  distinctLeads: true,
  examples: "description",
  recursion: "anywhere",
  limits: { properties: 5000, depth: 10, enumValues: 1000, characters: 120_000, longEnum: 15_000 },
};

/** OpenAI function calling without strict mode: JSON Schema of any form below the top; the model is asked, not held, to fit it. */
export const openai: Dialect = {
  sources: [
    {
      url: "https://platform.openai.com/docs/guides/function-calling#defining-functions",
      says: "`parameters` is a JSON Schema; names have up to 64 of a-z, A-Z, 0-9, underscores and dashes.",
    },
    {
      url: "https://github.com/microsoft/foundry-dev-tools/issues/201",
      read: "2026-11-23",
      says: "The API's own error: a name has at most 64 characters.",
    },
    atTheTop,
  ],
  keywords: "any",
  tuplesHaveItems: true,
  root: { union: "flatten", refuses },
  toolNames: providerNames,
  strictMode: false,
  closedObjects: false,
  allRequired: false,
  typeLists: "any",
  nullInEnum: true,
  emptyObjects: true,
  distinctLeads: false,
  examples: "description",
  recursion: "anywhere",
  limits: {},
};
