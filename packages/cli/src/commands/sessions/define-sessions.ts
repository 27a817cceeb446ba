import type { Command } from "commander";
import { type Define, withServer } from "../define.ts";

/** The commands that say whose a session is, and who else may use it. */
export function defineSessions(program: Command, define: Define): void {
  const sessions = program
    .command("sessions")
    .description("Sessions: list, share and unshare them")
    .exitOverride()
    .addHelpText(
      "after",
      `
A session belongs to the person who made it. Nobody else reaches its files, pages, artifacts, events and turns until it is shared.

Examples:
  toolwright sessions list
  toolwright sessions share ses_81f2 --with bob
  toolwright sessions share ses_81f2 --tenant-wide
  toolwright sessions unshare ses_81f2 --with bob`,
    );
  const load = (name: "list" | "share" | "unshare") => async () => (await import("./sessions.ts"))[name];
  withServer(define("list", "List sessions, last used first", load("list"), sessions))
    .option("--kind <kind>", "only of this kind, such as chat or calls")
    .option("--owner <id>", "only of this owner")
    .option("--ownerless", "only those without an owner, which are from before owners")
    .option("--after <key>", "next page: the key that the previous page printed");
  withAudience(define("share <id>", "Let a person, or everybody of the tenant, use a session by its id", load("share"), sessions));
  withAudience(define("unshare <id>", "Take a share back", load("unshare"), sessions));
}

function withAudience(command: Command): Command {
  return withServer(command)
    .option("--with <user>", "id of the person; service:ID or agent:ID for a program")
    .option("--tenant-wide", "everybody of the tenant");
}
