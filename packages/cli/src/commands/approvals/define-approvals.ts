import type { Command } from "commander";
import { type Define, groupOf, withServer } from "../define.ts";

/** What waits for a person. */
export function defineApprovals(program: Command, define: Define): void {
  const approvals = groupOf(program, "approvals");
  withServer(define("approve <id>", "Approve a call once", async () => (await import("./answer-approval.ts")).approve, approvals))
    .option("--run", "also run the call now (default in a terminal for a call from the command line)")
    .option("--no-run", "leave the call to its caller, who repeats it (default elsewhere)")
    .option("--input <json>", "run the call with this input instead")
    .option("--remember <scope>", "allow matching calls from now on: session, agent or tenant")
    .option("--for <time>", "with --remember: lifetime of the grant, e.g. 30m, 1h, 7d (default: 12h for a session, else 30d)")
    .option("--times <count>", "with --remember: number of uses (default: 1000)")
    .addHelpText("after", "\nExample:\n  toolwright approvals approve apr_6fY0c2Jm --remember session --for 1h --times 5");
}
