import type { Command } from "commander";
import { type Define, withServer, withTenant } from "../define.ts";

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
  const turns = program.command("turns").description("See and stop what agents do about messages").exitOverride();
  const load = (name: "list" | "show" | "cancel") => async () => (await import("./turns.ts"))[name];
  withServer(define("list", "List turns, newest first", load("list"), turns))
    .option("--conversation <id>", "only those of this conversation")
    .option("--agent <id>", "only those of this agent")
    .option("--state <state...>", "only running, waiting, done, failed or cancelled ones")
    .option("--limit <count>", "maximum number of turns (default: 50)");
  withServer(define("show <id>", "Show a turn with its messages", load("show"), turns));
  withServer(define("cancel <id>", "Stop a turn: the model, its tools and what they wait for", load("cancel"), turns)).option(
    "--reason <text>",
    "what the agent should know",
  );
  withTenant(
    define(
      "retry <id>",
      "Send the message of a turn that failed or was cancelled again",
      async () => (await import("./retry.ts")).retry,
      turns,
    ),
  ).addHelpText("after", "\nIts conversation goes on with a new turn, as after toolwright chat.");
  defineModels(program, define);
}

function defineModels(program: Command, define: Define): void {
  const models = program.command("models").description("See which models there are, and test one").exitOverride();
  const load = (name: "list" | "test") => async () => (await import("./models.ts"))[name];
  withServer(define("list", "List providers of models and what each needs", load("list"), models)).option(
    "--agent <id>",
    "with the secrets of this agent, then those of the tenant",
  );
  withServer(define("test <model>", "Ask a model twice, and say whether agents can work with it", load("test"), models))
    .option("--agent <id>", "with the secrets of this agent, then those of the tenant")
    .addHelpText(
      "after",
      `
Exit code 69 when it does not answer, 1 when it calls no tools. It costs a few tokens.

Example:
  toolwright models test anthropic/claude-opus-5-5`,
    );
}
