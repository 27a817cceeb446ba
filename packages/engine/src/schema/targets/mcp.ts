import { type Dialect, providerNames } from "./dialect.ts";

/** Formats for which some provider refuses the whole request. */
const refusedFormats = new Set(["uri", "uri-reference", "uri-template", "iri", "iri-reference"]);

/**
 * MCP: `inputSchema` and `outputSchema` are JSON Schema 2020-12 with an object at the top. Clients compile them with their own languages' regular
 * expressions and pass them on to their model's provider, so what a provider refuses at the top, in a name or as a format is not sent.
 */
export const mcp20260728: Dialect = {
  sources: [
    {
      url: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
      says: "JSON Schema 2020-12 with type object at the top; composition, conditions and references are allowed.",
    },
    {
      url: "https://modelcontextprotocol.io/seps/2106-json-schema-2020-12",
      read: "2026-11-23",
      says: "type object is required at the top; any other keyword of JSON Schema 2020-12 is allowed.",
    },
    {
      url: "https://github.com/zereight/gitlab-mcp/pull/551",
      read: "2026-11-23",
      says: "A client passes oneOf at the top on, and the provider refuses the whole list of tools.",
    },
  ],
  keywords: "any",
  accepts: (keyword, value) => keyword !== "format" || !refusedFormats.has(String(value)),
  root: { union: "flatten", refuses: new Set(["oneOf", "anyOf", "allOf", "enum", "const", "not"]) },
  passesDeclared: true,
  toolNames: providerNames,
  strictMode: false,
  closedObjects: false,
  allRequired: false,
  typeLists: "any",
  nullInEnum: false,
  emptyObjects: true,
  distinctLeads: false,
  examples: "description",
  recursion: "anywhere",
  limits: {},
};

/** The revision before: the top says no more than `type`, `properties` and `required`. */
export const mcp20251125: Dialect = {
  ...mcp20260728,
  sources: [
    {
      url: "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool",
      says: "`inputSchema` has `$schema`, `type: object`, `properties` with an object each, and `required`.",
    },
    {
      url: "https://modelcontextprotocol.io/seps/2106-json-schema-2020-12",
      read: "2026-11-23",
      says: "Composition, conditions and references at the top came with the next revision.",
    },
  ],
  tuplesHaveItems: true,
  root: {
    union: "flatten",
    refuses: new Set([
      ...mcp20260728.root.refuses,
      ...[
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
      ],
    ]),
  },
};
