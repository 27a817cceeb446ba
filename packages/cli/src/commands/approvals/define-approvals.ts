import type { Command } from "commander";
import { type Define, groupOf, withServer } from "../define.ts";

/** What waits for a person. */
export function defineApprovals(program: Command, define: Define): void {
  const approvals = groupOf(program, "approvals");
  const answer = (name: "approve" | "deny" | "respond" | "run") => async () => (await import("./answer-approval.ts"))[name];
  withServer(
    define(
      "show <id>",
      "Show an approval: the whole input and every rule that matched",
      async () => (await import("./approvals.ts")).show,
      approvals,
    ),
  );
  withServer(define("approve <id>", "Approve a call once", answer("approve"), approvals))
    .option("--run", "also run the call now (default in a terminal for a call from the command line)")
    .option("--no-run", "leave the call to its caller, who repeats it (default elsewhere)")
    .option("--input <json>", "run the call with this input instead")
    .option("--remember <scope>", "allow matching calls from now on: session, agent or tenant")
    .option("--for <time>", "with --remember: lifetime of the grant, e.g. 30m, 1h, 7d (default: 12h for a session, else 30d)")
    .option("--times <count>", "with --remember: number of uses (default: 1000)")
    .addHelpText("after", "\nExample:\n  toolwright approvals approve apr_6fY0c2Jm --remember session --for 1h --times 5");
  withServer(define("deny <id>", "Deny a call", answer("deny"), approvals)).option("--message <text>", "message to the caller");
  withServer(define("respond <id>", "Answer in place of the tool; the tool does not run", answer("respond"), approvals)).option(
    "--message <text>",
    "what the caller reads as the answer",
  );
  withServer(define("run <id>", "Run an approved call, once", answer("run"), approvals));
}
