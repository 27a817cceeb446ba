import type { Dialect } from "./dialect.ts";

/** JSON Schema 2020-12 for validators, forms and documents: the schema as it is, a union at the top included. */
export const jsonSchema202012: Dialect = {
  sources: [
    {
      url: "https://json-schema.org/draft/2020-12/json-schema-core",
      says: "All keywords. Patterns follow section 6.4: the part of regular expressions that all languages share.",
    },
  ],
  keywords: "any",
  root: { union: "keep", refuses: new Set() },
  toolNames: /^/,
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
