import type { Command } from "commander";
import { type Define, withCommon } from "../define.ts";

/** The commands for whoever writes tools. */
export function defineAuthor(program: Command, define: Define): void {
  const create = program.command("new").description("Create a tool from a template").exitOverride();
  withCommon(
    define("tool <name>", "Create a working tool in your folder of tools", async () => (await import("./new-tool.ts")).newTool, create),
  ).addHelpText("after", "\nExample:\n  toolwright new tool word_count");
  withCommon(
    define(
      "test [path]",
      "Check the tools of a folder, or one file: definition, schema rules, examples",
      async () => (await import("./test.ts")).test,
    ),
  )
    .option("--doors", "also call each tool through every door, and compare the answers")
    .addHelpText(
      "after",
      "\nWithout a path it is ./tools. Exit code 0 when all is well, 1 when not.\nWith --doors, tools that change something are only asked and refused; they do not run.\n\nExamples:\n  toolwright test\n  toolwright test ./tools/word-count.tool.ts\n  toolwright test --doors",
    );
  withCommon(
    define("trust [folder]", "Trust a folder of tools that toolwright did not create", async () => (await import("./trust.ts")).trust),
  )
    .option("--list", "list trusted folders")
    .option("--remove", "stop trusting the folder")
    .addHelpText(
      "after",
      "\nThe folder is ./tools when none is named. It is trusted as it is now: a file that changes is left out until you trust it again.\n\nExamples:\n  toolwright trust\n  toolwright trust --list\n  toolwright trust ./tools --remove",
    );
}
