import type { Command } from "commander";
import { type Define, withServer } from "../define.ts";

/** The commands for what agents and people remember. */
export function defineMemory(program: Command, define: Define): void {
  const memory = program
    .command("memory")
    .description("Memory: what agents and people keep across sessions with the tool memory_save")
    .exitOverride()
    .addHelpText(
      "after",
      `
An agent has memories of its own; without --agent or --user they are yours.

Examples:
  toolwright memory list --agent assistant
  toolwright memory save 'Deploys go out on Tuesdays' --key deploy-day --agent assistant
  toolwright memory export > memories.jsonl
  toolwright memory import memories.jsonl --agent assistant`,
    );
  const load = (name: "list" | "owners" | "show" | "save" | "remove" | "exportAll" | "importFile") => async () =>
    (await import("./memory.ts"))[name];
  const ofOwner = (command: Command) =>
    withServer(command)
      .option("--agent <id>", "the agent whose memories they are")
      .option("--user <id>", "the person whose memories they are");
  ofOwner(define("list", "List entries in the order of their keys", load("list"), memory)).option(
    "--category <name>",
    "core, daily or conversation",
  );
  withServer(define("owners", "List who remembers something, and how much", load("owners"), memory));
  ofOwner(define("show <key>", "Show an entry with its versions", load("show"), memory));
  ofOwner(define("save <content...>", "Save an entry, or correct the one with the same key", load("save"), memory))
    .option("--key <key>", "its name; without it a new entry gets one")
    .option("--category <name>", "core stays, daily expires after 30 days");
  ofOwner(define("remove <key>", "Remove an entry with all its versions", load("remove"), memory));
  ofOwner(define("export", "Write all entries as lines of JSON", load("exportAll"), memory));
  ofOwner(define("import <file>", "Save the entries of an export", load("importFile"), memory));
}
