import type { Command } from "commander";
import { type Define, groupOf, withServer, withTenant } from "../define.ts";

/** Tools of this process and of tenants. */
export function defineCatalogue(program: Command, define: Define): void {
  const tools = groupOf(program, "tools");
  withTenant(
    define(
      "sync",
      "Update the store to the tools of this process, and report who lost which tool",
      async () => (await import("./sync-tools.ts")).syncTools,
      tools,
    ),
  );
  defineTenantTools(tools, define);
}

function defineTenantTools(tools: Command, define: Define): void {
  withServer(
    define(
      "add <file>",
      "Add or change a tenant's own tool from YAML or JSON; - reads stdin",
      async () => (await import("./tenant-tools.ts")).add,
      tools,
    ),
  ).addHelpText(
    "after",
    "\nA file:\n  name: quote\n  description: Makes a quote for a customer.\n  inputSchema: { type: object, properties: { euros: { type: number } }, required: [euros], additionalProperties: false }\n  outputSchema: { type: object, properties: { text: { type: string } }, required: [text], additionalProperties: false }\n\nBeside that: title, group, approval, permission, visibility, limits, execution.",
  );
}
