import { type Define, withServerOption } from "../define.ts";
import { fieldsHelp, withCallOptions, withFields } from "./define-call-options.ts";

/** The commands that look at tools and call them. */
export function defineCalls(define: Define): void {
  withFields(
    withServerOption(withCallOptions(define("call <tool> [input...]", "Call a tool", async () => (await import("./call.ts")).call))),
  ).addHelpText("after", callHelp);
}

const callHelp = `${fieldsHelp}
The result goes to stdout, everything else to stderr. A command that fails inside the tool gives its own exit code.

Examples:
  toolwright call file_read '{"path": "README.md"}'
  toolwright call file_read --path README.md --start-line 1 --end-line 5
  echo '{"command": "ls -l"}' | toolwright call exec - --json`;
