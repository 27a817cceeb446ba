import type { Dialect } from "./dialect.ts";

/**
 * MCP: `inputSchema` and `outputSchema` are JSON Schema 2020-12 with an object at the top. Clients compile them with their own languages' regular
 * expressions and pass them on to their model's provider.
 */
export const mcp: Dialect = {
  source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
  keywords: "any",
  closedObjects: false,
  allRequired: false,
  nullable: "type",
  nullInEnum: false,
  examples: "description",
  recursion: true,
  limits: {},
};
