import { type Define, withCommon, withServerOption } from "../define.ts";
import { fieldsHelp, withCallOptions, withFields } from "./define-call-options.ts";

/** The commands that look at tools and call them. */
export function defineCalls(define: Define): void {
  withFields(
    withServerOption(withCallOptions(define("call <tool> [input...]", "Call a tool", async () => (await import("./call.ts")).call))),
  ).addHelpText("after", callHelp);
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

const callHelp = `${fieldsHelp}
The result goes to stdout, everything else to stderr. A command that fails inside the tool gives its own exit code.

Examples:
  toolwright call file_read '{"path": "README.md"}'
  toolwright call file_read --path README.md --start-line 1 --end-line 5
  echo '{"command": "ls -l"}' | toolwright call exec - --json`;
