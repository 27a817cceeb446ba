import type { Command } from "commander";
import { clientNames } from "../../client-config/client-names.ts";
import { type Define, withCommon } from "../define.ts";

/** The commands that connect MCP clients. */
export function defineClients(define: Define): void {
  withAsking(
    withCommon(define("install <client>", `Connect an MCP client: ${clientNames}`, async () => (await import("./install.ts")).install)),
  )
    .option("--url <url>", "a server that runs elsewhere (default: the one that runs here, if any)")
    .option("--stdio", "let the client start a process of its own, also where a server runs")
    .option("--token-env <name>", "variable that holds the token, for servers that want one (default: TOOLWRIGHT_TOKEN)")
    .option("--hooks", "also let toolwright decide the client's own tools: its shell, its editor (codex, claude, gemini, cursor)")
    .addHelpText(
      "after",
      "\nWrites the client's own configuration, after it has shown what changes and asked, and keeps a copy of the old file.\n\nExamples:\n  toolwright install codex\n  toolwright install claude --scope project\n  toolwright install claude --hooks\n  toolwright install vscode --print",
    );
  withAsking(
    withCommon(define("uninstall <client>", "Remove the entry that install wrote", async () => (await import("./uninstall.ts")).uninstall)),
  ).addHelpText("after", "\nExample:\n  toolwright uninstall codex");
}

function withAsking(command: Command): Command {
  return command
    .option("--scope <which>", "user: for this account; project: for the current folder (default: user)")
    .option("--print", "only show what would change")
    .option("--yes", "do not ask");
}
