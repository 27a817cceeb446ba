import type { Command } from "commander";
import { type Define, withCommon } from "../define.ts";

/** The commands that keep a door open. */
export function defineServe(define: Define): void {
  withAsk(
    withCommon(define("mcp", "Serve the tools to one MCP client on stdin and stdout", async () => (await import("./mcp.ts")).mcp)),
  ).addHelpText(
    "after",
    '\nConnect a client that toolwright install knows with that; in the configuration of any other:\n  {"mcpServers": {"toolwright": {"command": "toolwright", "args": ["mcp", "--workspace", "/path/to/workspace"]}}}',
  );
  withAsk(withCommon(define("serve", "Serve the tools to MCP clients over HTTP", async () => (await import("./serve.ts")).serve)))
    .option("--port <number>", "port to listen on", "7777")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--allow-host <name...>", "host names that clients may use beside loopback")
    .option(
      "--token <text>",
      "bearer token that clients must send; better set TOOLWRIGHT_TOKEN, which no process list shows, or make one with toolwright token",
    )
    .option("--auth", "require people and clients to sign in (or TOOLWRIGHT_AUTH=on)")
    .option("--no-worker", "leave jobs to toolwright worker")
    .addHelpText(
      "after",
      "\nExamples:\n  toolwright serve\n  toolwright token && toolwright serve --host 0.0.0.0 --allow-host tools.example.org",
    );
  define<{ readonly replace?: boolean; readonly remove?: boolean; readonly json?: boolean }>(
    "token",
    "Make the token that the server asks for, and show it once",
    async () => (await import("./token.ts")).token,
  )
    .option("--replace", "replace the current token")
    .option("--remove", "remove the token")
    .option("--json", "machine-readable output")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", "\nThe state folder keeps its hash alone. Example:\n  toolwright token > token.txt");
}

/** Some clients answer by themselves: then nobody is asked there. */
function withAsk(command: Command): Command {
  return command.option(
    "--ask <when>",
    "client: calls that need a person are asked in the client; never: they wait for toolwright approvals (or TOOLWRIGHT_ASK; default: client)",
  );
}
