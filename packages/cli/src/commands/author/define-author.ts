import type { Command } from "commander";
import { type Define, withCommon } from "../define.ts";

/** The commands for whoever writes tools. */
export function defineAuthor(program: Command, define: Define): void {
  const create = program.command("new").description("Write something to start from").exitOverride();
  withCommon(
    define("tool <name>", "A tool that works, in your folder of tools", async () => (await import("./new-tool.ts")).newTool, create),
  ).addHelpText("after", "\nExample:\n  toolwright new tool word_count");
  withCommon(
    define(
      "test [path]",
      "Check the tools of a folder, or one file: definition, schema rules, examples",
      async () => (await import("./test.ts")).test,
    ),
  ).addHelpText(
    "after",
    "\nWithout a path it is ./tools. Exit code 0 when all is well, 1 when not.\n\nExamples:\n  toolwright test\n  toolwright test ./tools/word-count.tool.ts",
  );
  withCommon(define("trust [folder]", "Load the tools of a folder that you did not make", async () => (await import("./trust.ts")).trust))
    .option("--list", "print the folders that you trust")
    .option("--remove", "trust it no longer")
    .addHelpText(
      "after",
      "\nThe folder is ./tools when none is named. It is trusted as it is now: a file that changes is left out until you trust it again.\n\nExamples:\n  toolwright trust\n  toolwright trust --list\n  toolwright trust ./tools --remove",
    );
  withCommon(define("doctor", "Say what this machine can give, and how to get more", async () => (await import("./doctor.ts")).doctor));
}
