import type { Command } from "commander";
import { type Define, groupOf, withServer } from "../define.ts";

/** The commands that upload documents that agents search. */
export function defineKnowledge(program: Command, define: Define): void {
  const knowledge = groupOf(program, "knowledge");
  const wait = ["--wait", "read them here and wait until all are ready"] as const;
  withServer(
    define("add <path...>", "Add files and folders, or new versions of them", async () => (await import("./add.ts")).add, knowledge),
  )
    .option("--collection <name>", "the group of documents that they go to (default: default)")
    .option(...wait)
    .option("--encoding <name>", "the encoding of text files that do not tell theirs, such as windows-1251");
  const load = async () => (await import("./import-file.ts")).importFile;
  withServer(define("import <file>", "Add the documents of an export", load, knowledge)).option(...wait);
}
