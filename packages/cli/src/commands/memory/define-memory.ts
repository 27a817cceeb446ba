import type { Command } from "commander";
import { type Define, groupOf, withServer } from "../define.ts";

/** The command that reads an export of memories. */
export function defineMemory(program: Command, define: Define): void {
  const load = async () => (await import("./import-memories.ts")).importMemories;
  withServer(define("import <file>", "Save the entries of an export", load, groupOf(program, "memory")))
    .option("--agent <id>", "the agent whose memories they are")
    .option("--user <id>", "the person whose memories they are");
}
