import { type Dialect, isPlainPattern, providerNames } from "./dialect.ts";

const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]);

/** Claude with `strict: true` on the tool. */
export const anthropic: Dialect = {
  sources: [
    {
      url: "https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations",
      says: "Keywords and formats of strict mode, no recursion, closed objects; 24 optional members and 16 members of several types in all strict tools of a request.",
    },
    {
      url: "https://git.waymay.us/zhongwei/gh-cskiro-claudex/src/commit/f125e90b9f2398cba17a79cc221c2c30ffa6e65d/skills/api/json-structured-outputs/json-outputs-implementer/reference/schema-limitations.md",
      read: "2026-11-23",
      says: "The same keywords, without the counts, as a copy of that page of November 2025.",
    },
    {
      url: "https://github.com/anthropics/claude-code/issues/5973",
      read: "2026-11-23",
      says: "The API's own error: input_schema does not support oneOf, allOf, or anyOf at the top level.",
    },
    {
      url: "https://github.com/erikmaday/unusual-whales-mcp/pull/57",
      read: "2026-11-23",
      says: "The API refuses members whose name does not match ^[a-zA-Z0-9_.-]{1,64}$.",
    },
  ],
  keywords: new Set([
    ...["type", "title", "description", "enum", "const", "default", "anyOf", "allOf", "items", "properties", "required"],
    ...["additionalProperties", "pattern", "format", "minItems"],
  ]),
  accepts: (keyword, value) => {
    if (keyword === "format") return formats.has(String(value));
    if (keyword === "pattern") return isPlainPattern(value);
    return keyword !== "minItems" || value === 0 || value === 1;
  },
  root: { union: "wrap", refuses: new Set(["oneOf", "anyOf", "allOf"]) },
  toolNames: providerNames,
  memberNames: /^[a-zA-Z0-9_.-]{1,64}$/,
  strictMode: true,
  closedObjects: true,
  allRequired: false,
  typeLists: "any",
  nullInEnum: true,
  emptyObjects: true,
  distinctLeads: false,
  examples: "field",
  recursion: "nowhere",
  // Counted over all strict tools of one request; one schema alone must stay below.
  limits: { optionalMembers: 24, unionMembers: 16 },
};
