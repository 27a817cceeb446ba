import type { Command } from "commander";
import { type Define, groupOf, withCommon, withServer } from "../define.ts";

/** Invitations to a tenant, and the accounts of people. */
export function defineIdentity(program: Command, define: Define): void {
  defineAccounts(defineUsers(program, define), define);
}

function defineUsers(program: Command, define: Define): Command {
  const users = groupOf(program, "users");
  const load = (name: "invite" | "list") => async () => (await import("./users.ts"))[name];
  withServer(define("invite <email>", "Create an invitation and print its link", load("invite"), users))
    .option("--role <name>", "owner, admin, member, viewer, or a role of the tenant", "member")
    .addHelpText("after", "\nExample:\n  toolwright users invite ann@example.org --role owner --tenant acme");
  withServer(define("list", "List members and open invitations", load("list"), users));
  return users;
}

/** An account belongs to no tenant. */
function defineAccounts(users: Command, define: Define): void {
  const load = (name: "resetPassword" | "sessions" | "signOut") => async () => (await import("./users.ts"))[name];
  withCommon(define("reset-password <email>", "Print a link to set a new password", load("resetPassword"), users));
  withCommon(define("sessions <email>", "List a person's sign-ins and the programs that act for them", load("sessions"), users));
  withCommon(define("sign-out <email>", "End a person's sign-ins and the access of their programs", load("signOut"), users));
}
