import { Command, CommanderError, Help } from "commander";
import { defineApprovals } from "./commands/approvals/define-approvals.ts";
import { defineAuthor } from "./commands/author/define-author.ts";
import { defineCalls } from "./commands/calls/define-calls.ts";
import { defineClients } from "./commands/clients/define-clients.ts";
import { defineDb } from "./commands/db/define-db.ts";
import type { Load } from "./commands/define.ts";
import { defineHooks } from "./commands/hooks/define-hooks.ts";
import { defineJobs } from "./commands/jobs/define-jobs.ts";
import { defineKnowledge } from "./commands/knowledge/define-knowledge.ts";
import { inRegularForm } from "./commands/log/define-earlier-forms.ts";
import { defineLog } from "./commands/log/define-log.ts";
import { declareOperations } from "./commands/operations/declare-operations.ts";
import { definePolicy } from "./commands/policy/define-policy.ts";
import { defineServe } from "./commands/serve/define-serve.ts";
import { defineTurns } from "./commands/turns/define-turns.ts";
import { exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { version } from "./version.ts";

/** Parses and runs one command line. Never rejects; resolves with the exit code. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const state: State = { code: exitCodes.done, refusal: "" };
  const words = inRegularForm(argv);
  const program = buildProgram(io, state, words[0]);
  try {
    await program.parseAsync([...words], { from: "user" });
    return state.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version are no mistakes.
      if (error.exitCode === 0) return exitCodes.done;
      const { visibleText } = await import("@toolwright/engine/visible-text");
      io.err(visibleText(state.refusal));
      return exitCodes.usage;
    }
    const { describeError, exitCodeOfError } = await import("./output/describe-error.ts");
    io.err(`${describeError(error, argv.includes("--verbose"))}\n`);
    return exitCodeOfError(error);
  }
}

/** A command as it is declared: its words, and the arguments after them. */
export interface CommandLine {
  readonly words: readonly string[];
  readonly args: readonly string[];
  /** Options that it cannot do without, such as `--target <name>`. */
  readonly required: readonly string[];
  /** How it is typed after its words: `<id> [options]`. */
  readonly usage: string;
  readonly about: string;
  readonly options: readonly { readonly flags: string; readonly about: string }[];
}

/** Every command that there is, in the order of the help. */
export function listCommands(io: Io): readonly CommandLine[] {
  const below = (command: Command, words: readonly string[]): readonly CommandLine[] =>
    command.commands.flatMap((each) => {
      const more = below(each, [...words, each.name()]);
      // A group has no options; a command has some, also one with further commands below it.
      return more.length > 0 && each.options.length === 0 ? more : [lineOf(each, [...words, each.name()]), ...more];
    });
  return below(buildProgram(io, { code: exitCodes.done, refusal: "" }), []);
}

function lineOf(command: Command, words: readonly string[]): CommandLine {
  return {
    words,
    args: command.registeredArguments.map((argument) => argument.name()),
    required: command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags),
    usage: command.usage().replace(" [command]", ""),
    about: command.description(),
    options: command.options.map(({ flags, description, defaultValue }) => ({
      flags,
      about: defaultValue === undefined || defaultValue === true ? description : `${description} (default: ${defaultValue})`,
    })),
  };
}

interface State {
  code: number;
  /** What commander says of a command line that it cannot read. It quotes that, so it is not written as it is. */
  refusal: string;
}

/** `first`: the word that was typed first, where only what it begins is needed. */
function buildProgram(io: Io, state: State, first?: string): Command {
  const program = new Command("toolwright")
    .description("Tools for AI agents, people and scripts, through one gate.")
    .version(version, "-V, --version")
    // What follows a tool's name is its own, so options of the program stand before the command.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: (words) => {
        state.refusal += words;
      },
    })
    .configureHelp({ visibleCommands: (command) => groupsLast(new Help().visibleCommands(command)) })
    .addHelpText("after", programHelp);
  const define = <Options>(signature: string, description: string, load: Load<Options>, parent = program) =>
    parent
      .command(signature)
      .description(description)
      .exitOverride()
      .action(async (...all: unknown[]) => {
        const command = all.at(-1) as Command;
        state.code = await (await load())({ ...io, runProgram }, command.optsWithGlobals() as Options, command.args);
      });
  declareOperations(program, {
    first,
    run: async (work) => {
      state.code = await work({ ...io, runProgram });
    },
  });
  defineCalls(define);
  defineTurns(program, define);
  defineKnowledge(program, define);
  defineServe(define);
  defineClients(define);
  defineHooks(define);
  defineAuthor(program, define);
  defineApprovals(program, define);
  defineDb(program, define);
  defineJobs(define);
  defineLog(program, define);
  definePolicy(program, define);
  return program;
}

/** Orders the commands of the help: single ones first, then groups by their names. */
function groupsLast(commands: readonly Command[]): Command[] {
  const isGroup = (command: Command) => command.commands.length > 0;
  const groups = commands.filter(isGroup).sort((one, other) => (one.name() < other.name() ? -1 : 1));
  return [...commands.filter((command) => !isGroup(command)), ...groups];
}

const programHelp = `
Examples:
  toolwright list
  toolwright call file_read --path README.md
  toolwright why exec --input '{"command": "rm -rf build"}'
  toolwright serve

Exit codes: 0 done, 1 failed, 2 usage, 3 denied, 4 pending (waits for a person), 5 cancelled, 6 unknown outcome, 69 unavailable, 70 defect.
Environment: TOOLWRIGHT_WORKSPACE, TOOLWRIGHT_TENANT_WORKSPACES, TOOLWRIGHT_WORKSPACE_PER, TOOLWRIGHT_TOOLS,
  TOOLWRIGHT_LOAD_SECONDS, TOOLWRIGHT_POLICY, TOOLWRIGHT_STATE, DATABASE_URL, TOOLWRIGHT_CONNECTIONS, TOOLWRIGHT_KEEP_DAYS,
  TOOLWRIGHT_KEEP_LOG_DAYS, TOOLWRIGHT_KEEP_ARTIFACTS_DAYS, TOOLWRIGHT_ARTIFACTS_SESSION_MB, TOOLWRIGHT_ARTIFACTS_TENANT_MB,
  TOOLWRIGHT_IMAGE, TOOLWRIGHT_CHROMIUM, TOOLWRIGHT_TOKEN, TOOLWRIGHT_ASK, TOOLWRIGHT_AUTH, TOOLWRIGHT_AUTH_SECRET, TOOLWRIGHT_CLIENT_DOCUMENTS,
  TOOLWRIGHT_URL, TOOLWRIGHT_TRUSTED_PROXIES, TOOLWRIGHT_OIDC_ISSUER, TOOLWRIGHT_OIDC_CLIENT_ID,
  TOOLWRIGHT_OIDC_CLIENT_SECRET, TOOLWRIGHT_OIDC_NAME, TOOLWRIGHT_MASTER_KEY, TOOLWRIGHT_MASTER_KEY_FILE,
  TOOLWRIGHT_METRICS_TOKEN, TOOLWRIGHT_LOOP_LIMIT_MS, TOOLWRIGHT_LOG_FORMAT, TOOLWRIGHT_KEY, TOOLWRIGHT_CONSOLE, TOOLWRIGHT_EMBEDDER,
  TOOLWRIGHT_MEMORY_EMBEDDER, TOOLWRIGHT_KNOWLEDGE_EMBEDDER, TOOLWRIGHT_EMBEDDINGS_URL, TOOLWRIGHT_EMBEDDINGS_MODEL,
  TOOLWRIGHT_EMBEDDINGS_KEY,
  TOOLWRIGHT_MODEL, TOOLWRIGHT_MODEL_URL, TOOLWRIGHT_MODEL_KEY, TOOLWRIGHT_MODEL_WINDOW,
  TOOLWRIGHT_SEARXNG_URL.`;
