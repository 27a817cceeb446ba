import { type Define, withCommon, withTenant } from "../define.ts";

/** The commands that look at tools and call them. */
export function defineCalls(define: Define): void {
  withCommon(define("list", "List the tools that you may use", async () => (await import("./list.ts")).list))
    .option("--group <name>", "only tools of this group")
    .option("--agent <id>", "those of an agent, as the policy narrows it")
    .addHelpText("after", "\nExamples:\n  toolwright list\n  toolwright list --group fs --json");
  withCommon(define("call <tool> [input...]", "Call a tool", async () => (await import("./call.ts")).call))
    .option("--idempotency-key <text>", "run once under this key: the same call again within 24 h is answered as the first one was")
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText("after", callHelp);
  withCommon(
    define("why <tool>", "Explain whether you may call a tool, and which rule says so", async () => (await import("./why.ts")).why),
  )
    .option("--input <json>", "judge a call with this input")
    .option("--agent <id>", "ask in the name of an agent, as the policy narrows it")
    .addHelpText(
      "after",
      `\nExamples:\n  toolwright why exec\n  toolwright why exec --input '{"command": "git push"}'\n  toolwright why exec --agent coder`,
    );
  withCommon(
    define("schema <tool>", "Print a tool's definition as a model provider wants it", async () => (await import("./schema.ts")).schema),
  )
    .requiredOption("--target <name>", "openai, anthropic, gemini, bedrock, mcp or json")
    .addHelpText(
      "after",
      "\nWhat the target cannot say is listed on stderr; the engine enforces it all the same.\n\nExample:\n  toolwright schema file_read --target openai",
    );
  withTenant(
    define(
      "artifact <id>",
      "Write the whole of something that was cut, or a file that a tool kept, to stdout",
      async () => (await import("./artifact.ts")).artifact,
    ),
  ).addHelpText("after", "\nExample:\n  toolwright artifact art_6fY0c2Jm > whole.txt");
}

const callHelp = `
The input is one JSON object, "-" for JSON on stdin, or fields. Fields are converted by the tool's schema; one that has the name of an
option above goes after "--". The result goes to stdout, everything else to stderr.

Examples:
  toolwright call file_read '{"path": "README.md"}'
  toolwright call file_read --path README.md --start-line 1 --end-line 5
  echo '{"command": "ls -l"}' | toolwright call exec - --json`;
