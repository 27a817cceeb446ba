import type { Dialect } from "./dialect.ts";

/** MCP: `inputSchema` and `outputSchema` are JSON Schema 2020-12 with an object at the top. */
export const mcp: Dialect = {
  source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
  keywords: "any",
  closedObjects: false,
  allRequired: false,
  nullable: "type",
  recursion: true,
  limits: {},
};
