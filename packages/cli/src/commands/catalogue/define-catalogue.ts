import type { Command } from "commander";
import { type Define, withTenant } from "../define.ts";

/** Who has which tools: `agents`, `tools` and `skills`. */
export function defineCatalogue(program: Command, define: Define): void {
  defineAgents(program, define);
  defineTools(program, define);
  defineSkills(program, define);
}

function defineAgents(program: Command, define: Define): void {
  const agents = program.command("agents").description("Make agents, and say what they are").exitOverride();
  const load = (name: "create" | "list" | "show" | "set") => async () => (await import("./agents.ts"))[name];
  const described = (command: Command) =>
    withTenant(command)
      .option("--name <text>", "for people")
      .option("--restricted", "it has only tools that are enabled for it")
      .option("--no-restricted", "it has all tools but those that are disabled for it")
      .option("--accepts-agents", "other agents may call it")
      .option("--no-accepts-agents", "no agent may call it")
      .option("--off <feature...>", "hide the tools of a feature, whatever is enabled: memory, knowledge")
      .option("--on <feature...>", "show them again");
  described(define("create <agent>", "Make one", load("create"), agents))
    .option("--with <tool...>", "tools that it is made with")
    .addHelpText("after", "\nExample:\n  toolwright agents create reviewer --restricted --with file_read file_search --off memory");
  described(define("set <agent>", "Change what is named, and leave the rest", load("set"), agents));
  withTenant(
    define(
      "delete <agent>",
      "Delete one, with its secrets, schedules, keys and grants",
      async () => (await import("./delete-agent.ts")).deleteAgent,
      agents,
    ),
  )
    .option("--yes", "without asking")
    .addHelpText("after", "\nWhat it did stays in the log. Jobs in its name are cancelled, and approvals that wait are denied.");
  withTenant(define("show <agent>", "Show one, with its skills and every row of a tool", load("show"), agents));
  withTenant(define("list", "List them", load("list"), agents));
}

function defineTools(program: Command, define: Define): void {
  const tools = program.command("tools").description("Say who has which tools").exitOverride();
  const load = (name: "list" | "enable" | "disable" | "reset" | "sync") => async () => (await import("./tools.ts"))[name];
  const forAgent = (command: Command) => withTenant(command).option("--agent <id>", "for this agent (default: for the whole tenant)");
  forAgent(define("list", "List all there are, hidden ones too: who enabled them, what hides them", load("list"), tools)).addHelpText(
    "after",
    "\nExample:\n  toolwright tools list --agent reviewer",
  );
  forAgent(define("enable <tool...>", "Enable tools", load("enable"), tools)).addHelpText(
    "after",
    "\nFor the tenant it opts in to tools that are opt-in. For the tenant default it holds for every tenant that says nothing itself.\n\nExample:\n  toolwright tools enable exec --agent reviewer",
  );
  forAgent(define("disable <tool...>", "Hide tools, whatever else enables them", load("disable"), tools));
  forAgent(define("reset <tool...>", "Take back what enable or disable said", load("reset"), tools));
  withTenant(define("sync", "Bring the store to the tools that there are here, and say who lost what", load("sync"), tools));
  defineOverride(tools, define);
  defineTenantTools(tools, define);
}

function defineOverride(tools: Command, define: Define): void {
  withTenant(
    define(
      "override <tool>",
      "Narrow a tool of code, or say it in other words",
      async () => (await import("./tool-override.ts")).override,
      tools,
    ),
  )
    .option("--title <text>", "for people")
    .option("--description <text>", "for models")
    .option("--approval <word>", "always_ask: a person is asked before each call")
    .option("--feature <name>", "it belongs to this feature of agents")
    .option("--opt-in", "only tenants that enable it have it")
    .option("--no-opt-in", "take that back")
    .option("--timeout-ms <count>", "milliseconds in all")
    .option("--idle-ms <count>", "milliseconds without progress")
    .option("--max-output-bytes <count>", "bytes of a result")
    .option("--reset", "take the whole override back")
    .addHelpText(
      "after",
      "\nWhat is not named stays; an empty text takes back what was named before. Overrides of the tenant default hold for every tenant.\n\nExample:\n  toolwright tools override exec --approval always_ask --timeout-ms 30000",
    );
}

function defineTenantTools(tools: Command, define: Define): void {
  const load = (name: "add" | "remove" | "show" | "versions") => async () => (await import("./tenant-tools.ts"))[name];
  withTenant(
    define("add <file>", "Add a tool of the tenant's own from YAML or JSON, or change it; - for stdin", load("add"), tools),
  ).addHelpText(
    "after",
    "\nA file:\n  name: quote\n  description: Makes a quote for a customer.\n  inputSchema: { type: object, properties: { euros: { type: number } }, required: [euros], additionalProperties: false }\n  outputSchema: { type: object, properties: { text: { type: string } }, required: [text], additionalProperties: false }\n\nBeside that: title, group, approval, permission, visibility, limits, execution.",
  );
  withTenant(define("remove <tool>", "Remove a tool of the tenant's own, with what enables it", load("remove"), tools));
  withTenant(define("show <tool>", "Show one as the tenant has it, hidden or not", load("show"), tools));
  withTenant(define("versions <tool>", "List the schemas that a tool of the tenant's own had", load("versions"), tools));
}

function defineSkills(program: Command, define: Define): void {
  const skills = program.command("skills").description("Instructions with the tools that they need").exitOverride();
  const load = (name: "list" | "show" | "create" | "change" | "remove" | "enable" | "disable") => async () =>
    (await import("./skills.ts"))[name];
  const described = (command: Command) =>
    withTenant(command)
      .option("--title <text>", "for people")
      .option("--file <path>", "its instructions, Markdown; - for stdin")
      .option("--with <tool...>", "all tools that it needs");
  const forAgent = (command: Command) => withTenant(command).requiredOption("--agent <id>", "for this agent");
  withTenant(define("list", "List them, with the agents that have them", load("list"), skills));
  withTenant(define("show <skill>", "Show one, with its instructions", load("show"), skills));
  described(define("create <skill>", "Make one", load("create"), skills)).addHelpText(
    "after",
    "\nExample:\n  toolwright skills create release-notes --file release-notes.md --with file_read git_clone",
  );
  described(define("set <skill>", "Change what is named, and leave the rest", load("change"), skills));
  withTenant(define("remove <skill>", "Remove one, and say which agents had it", load("remove"), skills));
  forAgent(define("enable <skill...>", "Give skills to an agent, with the tools that they need", load("enable"), skills));
  forAgent(define("disable <skill...>", "Take skills from an agent, with the tools that nothing else enables", load("disable"), skills));
}
