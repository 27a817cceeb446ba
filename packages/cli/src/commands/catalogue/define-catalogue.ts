import type { Command } from "commander";
import { type Define, groupOf, withServer, withTenant } from "../define.ts";

/** Who has which tools: `agents` and `tools`. */
export function defineCatalogue(program: Command, define: Define): void {
  defineAgents(program, define);
  defineTools(program, define);
}

function defineAgents(program: Command, define: Define): void {
  const agents = groupOf(program, "agents");
  withServer(define("set <agent>", "Change the named settings of an agent", async () => (await import("./agents.ts")).set, agents))
    .option("--name <text>", "display name")
    .option("--instructions <path>", "instructions that begin every request to the model, as Markdown; - for stdin")
    .option("--model <name>", 'provider/name (default: TOOLWRIGHT_MODEL); "" for the default again')
    .option("--steps <count>", 'requests to the model in one turn (default: 15); "" for the default again')
    .option("--restricted", "give the agent only tools that are enabled for it")
    .option("--no-restricted", "give the agent all tools except those that are disabled for it")
    .option("--accepts-agents", "other agents may call it")
    .option("--no-accepts-agents", "no agent may call it")
    .option("--off <feature...>", "hide the tools of a feature, also enabled ones: memory, knowledge")
    .option("--on <feature...>", "show the tools of a feature again");
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
  withServer(
    define(
      "delete <agent>",
      "Delete an agent with its secrets, schedules, keys and grants",
      async () => (await import("./delete-agent.ts")).deleteAgent,
      agents,
    ),
  )
    .option("--yes", "delete without a question")
    .addHelpText("after", "\nWhat it did stays in the log. Jobs in its name are cancelled, and approvals that wait are denied.");
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
