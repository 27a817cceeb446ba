import type { Command } from "commander";
import { type Define, withServer } from "../define.ts";

/** The commands for documents that agents search. */
export function defineKnowledge(program: Command, define: Define): void {
  const knowledge = program
    .command("knowledge")
    .description("Knowledge: documents that agents search with the tool knowledge_search")
    .exitOverride()
    .addHelpText(
      "after",
      `
A server or a worker reads what was added; with --wait this command does. PDF, Word, HTML, mail, Markdown, notebooks, CSV and text can be read.

Examples:
  toolwright knowledge add ./docs --collection handbook --wait
  toolwright knowledge search 'How long do refunds take?'
  toolwright knowledge export > documents.jsonl
  toolwright knowledge remove doc_81f2`,
    );
  const load = (name: "list" | "show" | "search" | "exportAll" | "importFile" | "remove") => async () =>
    (await import("./knowledge.ts"))[name];
  const inCollection = (command: Command, what: string) => withServer(command).option("--collection <name>", what);
  inCollection(
    define("add <path...>", "Add files and folders, or new versions of them", async () => (await import("./add.ts")).add, knowledge),
    "the group of documents that they go to (default: default)",
  )
    .option("--wait", "read them here and wait until all are ready")
    .option("--encoding <name>", "the encoding of text files that do not tell theirs, such as windows-1251");
  inCollection(define("list", "List documents, newest first", load("list"), knowledge), "only of this group");
  withServer(define("show <id>", "Show a document with its state", load("show"), knowledge));
  inCollection(define("search <query...>", "Find passages, as agents find them", load("search"), knowledge), "only of this group").option(
    "--limit <count>",
    "passages at most (default: 8)",
  );
  inCollection(define("export", "Write the text of all documents as lines of JSON", load("exportAll"), knowledge), "only of this group");
  withServer(define("import <file>", "Add the documents of an export", load("importFile"), knowledge)).option(
    "--wait",
    "read them here and wait until all are ready",
  );
  withServer(define("remove <id...>", "Remove documents with all their passages", load("remove"), knowledge));
}
