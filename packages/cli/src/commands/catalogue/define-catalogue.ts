import type { Command } from "commander";
import { type Define, groupOf, withTenant } from "../define.ts";

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
}
