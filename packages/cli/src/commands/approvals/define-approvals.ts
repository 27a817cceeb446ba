import type { Command } from "commander";
import { type Define, withTenant } from "../define.ts";

/** What waits for a person, and what was allowed for longer than one call. */
export function defineApprovals(program: Command, define: Define): void {
  defineGrants(program, define);
  const approvals = program.command("approvals").description("Answer calls that wait for a person").exitOverride();
  const load = (name: "list" | "show") => async () => (await import("./approvals.ts"))[name];
  const answer = (name: "approve" | "deny" | "respond" | "run") => async () => (await import("./answer-approval.ts"))[name];
  withTenant(define("list", "List the open ones", load("list"), approvals));
  withTenant(define("show <id>", "Show all of one: the whole input, every rule that spoke", load("show"), approvals));
  withTenant(define("approve <id>", "Say yes, once", answer("approve"), approvals))
    .option("--run", "and run the call now (default in a terminal for a call of the command line)")
    .option("--no-run", "leave the call to its caller, who makes it again (default elsewhere)")
    .option("--input <json>", "run it with this input instead")
    .option("--remember <scope>", "let the like of it run unasked from now on: in this session, for this agent, or for the whole tenant")
    .option("--for <time>", "with --remember: how long, e.g. 30m, 1h, 7d (default: 12h for a session, else 30d)")
    .option("--times <count>", "with --remember: how often (default: 1000)")
    .addHelpText("after", "\nExample:\n  toolwright approvals approve apr_6fY0c2Jm --remember session --for 1h --times 5");
  withTenant(define("deny <id>", "Say no", answer("deny"), approvals)).option("--message <text>", "what the caller should know");
  withTenant(define("respond <id>", "Answer in its place: the tool does not run", answer("respond"), approvals)).option(
    "--message <text>",
    "what the caller reads as the answer",
  );
  withTenant(define("run <id>", "Run an approved call, once", answer("run"), approvals));
}

function defineGrants(program: Command, define: Define): void {
  const grants = program.command("grants").description("See and end what was allowed for longer than one call").exitOverride();
  const load = (name: "list" | "revoke") => async () => (await import("./grants.ts"))[name];
  withTenant(define("list", "List what is remembered, in plain words", load("list"), grants));
  withTenant(define("revoke <id>", "End one at once", load("revoke"), grants));
}
