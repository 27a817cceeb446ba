import { Command, CommanderError } from "commander";
import { defineCatalogue } from "./commands/catalogue/define-catalogue.ts";
import { defineDb } from "./commands/db/define-db.ts";
import { defineIdentity } from "./commands/identity/define-identity.ts";
import { defineJobs } from "./commands/jobs/define-jobs.ts";
import { defineLog } from "./commands/log/define-log.ts";
import { definePolicy } from "./commands/policy/define-policy.ts";
import { exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { version } from "./version.ts";

/** A command's module, loaded only when it runs: start-up stays short. */
type Run<Options> = (io: Io, options: Options, args: readonly string[]) => Promise<number>;

/** Parses and runs one command line. Never rejects; resolves with the exit code. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const state: State = { code: exitCodes.done, refusal: "" };
  const program = buildProgram(io, state);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return state.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version are no mistakes.
      if (error.exitCode === 0) return exitCodes.done;
      const { visibleText } = await import("@toolwright/engine");
      io.err(visibleText(state.refusal));
      return exitCodes.usage;
    }
    const { describeError, exitCodeOfError } = await import("./cli-error.ts");
    io.err(`${describeError(error, argv.includes("--verbose"))}\n`);
    return exitCodeOfError(error);
  }
}

interface State {
  code: number;
  /** What commander says of a command line that it cannot read. It quotes that, so it is not written as it is. */
  refusal: string;
}

function buildProgram(io: Io, state: State): Command {
  const program = new Command("toolwright")
    .description("Tools for AI agents, people and scripts, through one gate.")
    .version(version, "-V, --version")
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: (words) => {
        state.refusal += words;
      },
    })
    .addHelpText("after", programHelp);
  const define = <Options>(signature: string, description: string, load: () => Promise<Run<Options>>, parent = program) =>
    parent
      .command(signature)
      .description(description)
      .exitOverride()
      .action(async (...all: unknown[]) => {
        const command = all.at(-1) as Command;
        state.code = await (await load())(io, command.optsWithGlobals() as Options, command.args);
      });
  defineCallCommands(define);
  defineServers(define);
  defineAuthorCommands(program, define);
  defineApprovals(program, define);
  defineGrants(program, define);
  defineSecrets(program, define);
  defineArtifacts(define);
  defineCatalogue(program, define, withCommon);
  defineDb(program, define, withCommon);
  defineIdentity(program, define, withCommon);
  defineJobs(program, define, withCommon);
  defineLog(program, define, withCommon);
  definePolicy(program, define, withCommon);
  return program;
}

type Define = <Options>(signature: string, description: string, load: () => Promise<Run<Options>>, parent?: Command) => Command;

function defineCallCommands(define: Define): void {
  withCommon(define("list", "List the tools that you may use", async () => (await import("./commands/list.ts")).list))
    .option("--group <name>", "only tools of this group")
    .option("--agent <id>", "those of an agent, as the policy narrows it")
    .addHelpText("after", "\nExamples:\n  toolwright list\n  toolwright list --group fs --json");
  withCommon(define("call <tool> [input...]", "Call a tool", async () => (await import("./commands/call.ts")).call))
    .option("--idempotency-key <text>", "run once under this key: the same call again within 24 h is answered as the first one was")
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText("after", callHelp);
  withCommon(
    define(
      "why <tool>",
      "Explain whether you may call a tool, and which rule says so",
      async () => (await import("./commands/why.ts")).why,
    ),
  )
    .option("--input <json>", "judge a call with this input")
    .option("--agent <id>", "ask in the name of an agent, as the policy narrows it")
    .addHelpText(
      "after",
      `\nExamples:\n  toolwright why exec\n  toolwright why exec --input '{"command": "git push"}'\n  toolwright why exec --agent coder`,
    );
  withCommon(
    define(
      "schema <tool>",
      "Print a tool's definition as a model provider wants it",
      async () => (await import("./commands/schema.ts")).schema,
    ),
  )
    .requiredOption("--target <name>", "openai, anthropic, gemini, bedrock, mcp or json")
    .addHelpText(
      "after",
      "\nWhat the target cannot say is listed on stderr; the engine enforces it all the same.\n\nExample:\n  toolwright schema file_read --target openai",
    );
}

function defineArtifacts(define: Define): void {
  withCommon(
    define(
      "artifact <id>",
      "Write the whole of something that was cut, or a file that a tool kept, to stdout",
      async () => (await import("./commands/artifact.ts")).artifact,
    ),
  ).addHelpText("after", "\nExample:\n  toolwright artifact art_6fY0c2Jm > whole.txt");
}

function defineServers(define: Define): void {
  withCommon(
    define("mcp", "Serve the tools to one MCP client on stdin and stdout", async () => (await import("./commands/mcp.ts")).mcp),
  ).addHelpText(
    "after",
    '\nIn a client\'s configuration:\n  {"mcpServers": {"toolwright": {"command": "toolwright", "args": ["mcp", "--workspace", "/path/to/workspace"]}}}',
  );
  withCommon(define("serve", "Serve the tools to MCP clients over HTTP", async () => (await import("./commands/serve.ts")).serve))
    .option("--port <number>", "port to listen on", "7777")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--allow-host <name...>", "host names that clients may use beside loopback")
    .option("--token <text>", "bearer token that clients must send; better set TOOLWRIGHT_TOKEN, which no process list shows")
    .option("--auth", "people and clients have to sign in (or TOOLWRIGHT_AUTH=on)")
    .option("--no-worker", "leave jobs to toolwright worker")
    .addHelpText(
      "after",
      "\nExamples:\n  toolwright serve\n  TOOLWRIGHT_TOKEN=$(openssl rand -hex 32) toolwright serve --host 0.0.0.0 --allow-host tools.example.org",
    );
}

function defineAuthorCommands(program: Command, define: Define): void {
  const create = program.command("new").description("Write something to start from").exitOverride();
  withCommon(
    define(
      "tool <name>",
      "A tool that works, in your folder of tools",
      async () => (await import("./commands/new-tool.ts")).newTool,
      create,
    ),
  ).addHelpText("after", "\nExample:\n  toolwright new tool word_count");
  withCommon(
    define(
      "test [folder]",
      "Check the tools of a folder: definition, schema rules, examples",
      async () => (await import("./commands/test.ts")).test,
    ),
  ).addHelpText(
    "after",
    "\nThe folder is ./tools when none is named. Exit code 0 when all is well, 1 when not.\n\nExample:\n  toolwright test ./tools",
  );
  withCommon(
    define("doctor", "Say what this machine can give, and how to get more", async () => (await import("./commands/doctor.ts")).doctor),
  );
}

function defineApprovals(program: Command, define: Define): void {
  const approvals = program.command("approvals").description("Answer calls that wait for a person").exitOverride();
  const load = (name: "list" | "show") => async () => (await import("./commands/approvals/approvals.ts"))[name];
  const answer = (name: "approve" | "deny" | "respond" | "run") => async () =>
    (await import("./commands/approvals/answer-approval.ts"))[name];
  inTenant(define("list", "List the open ones", load("list"), approvals));
  inTenant(define("show <id>", "Show all of one: the whole input, every rule that spoke", load("show"), approvals));
  inTenant(define("approve <id>", "Say yes, once", answer("approve"), approvals))
    .option("--run", "and run the call now")
    .option("--input <json>", "run it with this input instead")
    .option("--remember <scope>", "let the like of it run unasked from now on: in this session, for this agent, or for the whole tenant")
    .option("--for <time>", "with --remember: how long, e.g. 30m, 1h, 7d (default: 12h for a session, else 30d)")
    .option("--times <count>", "with --remember: how often (default: 1000)")
    .addHelpText("after", "\nExample:\n  toolwright approvals approve apr_6fY0c2Jm --run --remember session --for 1h --times 5");
  inTenant(define("deny <id>", "Say no", answer("deny"), approvals)).option("--message <text>", "what the caller should know");
  inTenant(define("respond <id>", "Answer in its place: the tool does not run", answer("respond"), approvals)).option(
    "--message <text>",
    "what the caller reads as the answer",
  );
  inTenant(define("run <id>", "Run an approved call, once", answer("run"), approvals));
}

function defineGrants(program: Command, define: Define): void {
  const grants = program.command("grants").description("See and end what was allowed for longer than one call").exitOverride();
  const load = (name: "list" | "revoke") => async () => (await import("./commands/approvals/grants.ts"))[name];
  inTenant(define("list", "List what is remembered, in plain words", load("list"), grants));
  inTenant(define("revoke <id>", "End one at once", load("revoke"), grants));
}

function defineSecrets(program: Command, define: Define): void {
  const secrets = program.command("secrets").description("Set what tools need and nobody should read").exitOverride();
  const load = (name: "set" | "list" | "remove" | "rotate" | "check") => async () => (await import("./commands/secrets.ts"))[name];
  inTenant(define("set <name>", "Set one, from stdin or from a prompt that does not show it", load("set"), secrets))
    .option("--agent <id>", "for this agent alone, in place of the one for everybody")
    .option("--host <host...>", "where requests and git may send it by its name, over https: api.github.com, git.example.org:8443")
    .option("--no-host", "send it nowhere by its name any more; without either it goes where it went before")
    .option("--header <name>", "send it bare in this header (default: authorization, as a bearer token)")
    .option("--user <name>", "send it as the password of this user (git's default: x-access-token)")
    .addHelpText(
      "after",
      "\nExamples:\n  toolwright secrets set GITHUB_TOKEN --host github.com api.github.com\n  pass show github | toolwright secrets set GITHUB_TOKEN --agent coder",
    );
  inTenant(define("list", "List names, whose they are, and when they were set; never values", load("list"), secrets));
  inTenant(define("remove <name>", "Remove one", load("remove"), secrets)).option("--agent <id>", "the one of this agent");
  withCommon(define("rotate", "Bring all secrets under the current master key, while others use them", load("rotate"), secrets)).option(
    "--new-key",
    "make a new master key first",
  );
  withCommon(define("check", "Try to read every secret, and say which master keys are needed", load("check"), secrets));
}

function inTenant(command: Command): Command {
  return withCommon(command).option("--tenant <name>", "of this tenant (default: default)");
}

function withCommon(command: Command): Command {
  return command
    .option("--workspace <dir>", "the only folder that file and command tools reach (default: ./workspace)")
    .option("--tools <dir>", "folder with your own *.tool.ts (default: ./tools)")
    .option("--policy <file>", "policy document, YAML or JSON (default: that of your configuration folder, else the built-in one)")
    .option("--json", "machine-readable output")
    .option("--verbose", "show where an error came from");
}

const programHelp = `
Examples:
  toolwright list
  toolwright call file_read --path README.md
  toolwright why exec --input '{"command": "rm -rf build"}'
  toolwright serve

Exit codes: 0 done, 1 failed, 2 usage, 3 denied, 4 pending (waits for a person), 5 cancelled, 6 unknown outcome, 69 unavailable, 70 defect.
Environment: TOOLWRIGHT_WORKSPACE, TOOLWRIGHT_TOOLS, TOOLWRIGHT_POLICY, TOOLWRIGHT_STATE, DATABASE_URL, TOOLWRIGHT_CONNECTIONS, TOOLWRIGHT_KEEP_DAYS, TOOLWRIGHT_KEEP_LOG_DAYS, TOOLWRIGHT_KEEP_ARTIFACTS_DAYS, TOOLWRIGHT_TOKEN, TOOLWRIGHT_AUTH, TOOLWRIGHT_AUTH_SECRET, TOOLWRIGHT_URL, TOOLWRIGHT_OIDC_ISSUER, TOOLWRIGHT_OIDC_CLIENT_ID, TOOLWRIGHT_OIDC_CLIENT_SECRET, TOOLWRIGHT_OIDC_NAME, TOOLWRIGHT_MASTER_KEY, TOOLWRIGHT_MASTER_KEY_FILE.`;

const callHelp = `
The input is one JSON object, "-" for JSON on stdin, or fields. Fields are converted by the tool's schema; one that has the name of an
option above goes after "--". The result goes to stdout, everything else to stderr.

Examples:
  toolwright call file_read '{"path": "README.md"}'
  toolwright call file_read --path README.md --start-line 1 --end-line 5
  echo '{"command": "ls -l"}' | toolwright call exec - --json`;
