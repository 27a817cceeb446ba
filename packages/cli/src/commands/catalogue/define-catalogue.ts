import type { Command } from "commander";
import { type Define, groupOf, withServer, withTenant } from "../define.ts";

/** Who has which tools: `agents` and `tools`. */
export function defineCatalogue(program: Command, define: Define): void {
  defineAgents(program, define);
  defineTools(program, define);
}

function defineAgents(program: Command, define: Define): void {
  const agents = groupOf(program, "agents");
  withServer(
    define(
      "apply <file>",
      "Create and change agents as a YAML or JSON document says; removes none",
      async () => (await import("./apply-agents.ts")).applyAgents,
      agents,
    ),
  )
    .option("--dry-run", "say what would change")
    .addHelpText(
      "after",
      "\nA file:\n  agents:\n    - id: reviewer\n      instructions: Read the change, then say what could break.\n      limits: { steps: 20 }\n      tools: { allow: [file_read, file_search] }\n\nBeside that: name, model, features, restricted, acceptsAgents, skills. What is left out stays. tools goes into the policy of the tenant.",
    );
}

function defineTools(program: Command, define: Define): void {
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
