import type { Command } from "commander";
import { type Define, groupOf, withTenant } from "../define.ts";

/** The commands that talk to agents. */
export function defineTurns(program: Command, define: Define): void {
  withTenant(define("chat [agent] [message...]", "Talk to an agent", async () => (await import("./chat.ts")).chat))
    .option("--conversation <id>", "go on with this conversation")
    .option("--interrupt", "stop the turn that runs in the conversation first; otherwise the message waits for its next step")
    .option(
      "--attach <file>",
      "send this file with the message; may be given more than once",
      (file: string, files: readonly string[] = []) => [...files, file],
    )
    .addHelpText(
      "after",
      `
Without a message, each line that you type is one; an empty line or Ctrl-D ends. The answer goes to stdout, what the agent does to stderr. Where a
call asks, the question is asked here; without a terminal the exit code is 4, and the agent goes on once somebody has answered.

Examples:
  toolwright chat
  toolwright chat assistant 'Which files are here?'
  toolwright chat assistant 'And the largest?' --conversation ses_81f2
  toolwright chat assistant 'What do these say?' --attach report.pdf --attach notes.txt`,
    );
  withTenant(
    define(
      "retry <id>",
      "Send the message of a turn that failed or was cancelled again",
      async () => (await import("./retry.ts")).retry,
      groupOf(program, "turns"),
    ),
  ).addHelpText("after", "\nIts conversation goes on with a new turn, as after toolwright chat.");
}
