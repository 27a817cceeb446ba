import type { Command } from "commander";
import { type Define, groupOf, withServer } from "../define.ts";

/** The commands that read and write files of documents that agents search. */
export function defineKnowledge(program: Command, define: Define): void {
  const knowledge = groupOf(program, "knowledge");
  const load = (name: "exportAll" | "importFile") => async () => (await import("./exports.ts"))[name];
  const inCollection = (command: Command, what: string) => withServer(command).option("--collection <name>", what);
  inCollection(
    define("add <path...>", "Add files and folders, or new versions of them", async () => (await import("./add.ts")).add, knowledge),
    "the group of documents that they go to (default: default)",
  )
    .option("--wait", "read them here and wait until all are ready")
    .option("--encoding <name>", "the encoding of text files that do not tell theirs, such as windows-1251");
  inCollection(define("export", "Write the text of all documents as lines of JSON", load("exportAll"), knowledge), "only of this group");
  withServer(define("import <file>", "Add the documents of an export", load("importFile"), knowledge)).option(
    "--wait",
    "read them here and wait until all are ready",
  );
}
