import type { Command } from "commander";
import { type Define, withCommon, withServerOption } from "../define.ts";
import { withCallOptions, withWhyOptions } from "./define-call-options.ts";

/** The commands that look at tools and call them. */
export function defineCalls(define: Define): void {
  withServerOption(withCommon(define("list", "List the tools that you may use", async () => (await import("./list.ts")).list)))
    .option("--group <name>", "only tools of this group")
    .option("--search <words>", "only tools that do this, best first: say it in your own words")
    .option("--agent <id>", "tools that this agent can use under its policy")
    .addHelpText(
      "after",
      '\nExamples:\n  toolwright list\n  toolwright list --group fs --json\n  toolwright list --search "put a file in the cloud"',
    );
  withFields(withCallOptions(define("call <tool> [input...]", "Call a tool", async () => (await import("./call.ts")).call))).addHelpText(
    "after",
    callHelp,
  );
  withFields(
    withWhyOptions(
      define("why <tool> [input...]", "Explain whether a call runs and which rule decides", async () => (await import("./why.ts")).why),
    ),
  ).addHelpText("after", whyHelp);
  withCommon(
    define(
      "schema [tool]",
      "Print a tool's definition in the format of a model provider",
      async () => (await import("./schema.ts")).schema,
    ),
  )
    .option("--target <name>", "openai-strict, openai, anthropic, gemini, bedrock, mcp-2025-11-25, mcp-2026-07-28 or json-schema-2020-12")
    .option("--report", "of one tool, what a target cannot say and rewrites; of all tools, the tokens that each costs in every request")
    .addHelpText(
      "after",
      "\nWhat the target cannot say is listed on stderr; the engine enforces it all the same.\n\nExample:\n  toolwright schema file_read --target openai-strict\n  toolwright schema file_read --target openai-strict --report\n  toolwright schema --report --target anthropic",
    );
}

/**
 * What follows the tool's name is read when its fields are known. Not --server: a tool may have a field of that name, and the server that it
 * names would be sent the key before that is known.
 */
function withFields(command: Command): Command {
  return withServerOption(command).passThroughOptions();
}

const fieldsHelp = `
The input is one JSON object, "-" for JSON on stdin, or fields, which the tool's schema converts. After the tool's name, a field of the
tool wins over an option of the same name: put the option before the name, or fields after "--". Print the fields of a tool with
toolwright call <tool> --help. --server always stands before the tool's name.`;

const callHelp = `${fieldsHelp}
The result goes to stdout, everything else to stderr. A command that fails inside the tool gives its own exit code.

Examples:
  toolwright call file_read '{"path": "README.md"}'
  toolwright call file_read --path README.md --start-line 1 --end-line 5
  echo '{"command": "ls -l"}' | toolwright call exec - --json`;

const whyHelp = `${fieldsHelp}

Examples:
  toolwright why exec
  toolwright why exec --command 'git push'
  toolwright why exec --agent coder '{"command": "git push"}'`;
