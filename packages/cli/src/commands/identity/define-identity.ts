import type { Command } from "commander";
import { type Define, withCommon, withTenant } from "../define.ts";

/** Tenants, who belongs to them, and keys. */
export function defineIdentity(program: Command, define: Define): void {
  defineTenants(program, define);
  defineAccounts(defineUsers(program, define), define);
  defineKeys(program, define);
}

function defineTenants(program: Command, define: Define): void {
  const tenants = program.command("tenants").description("Make and suspend tenants: nothing crosses from one to another").exitOverride();
  const load = (name: "create" | "list" | "suspend" | "resume") => async () => (await import("./tenants.ts"))[name];
  withCommon(define("create <tenant>", "Make one", load("create"), tenants)).option("--name <text>", "its name, for people");
  withCommon(define("list", "List all", load("list"), tenants));
  withCommon(define("suspend <tenant>", "Let nobody of it in any more, and lose nothing", load("suspend"), tenants));
  withCommon(define("resume <tenant>", "Let a suspended one go on", load("resume"), tenants));
}

function defineUsers(program: Command, define: Define): Command {
  const users = program.command("users").description("Who belongs to a tenant, and what they may do").exitOverride();
  const load = (name: "invite" | "list" | "remove" | "setRole") => async () => (await import("./users.ts"))[name];
  withTenant(define("invite <email>", "Print a link with which somebody joins", load("invite"), users))
    .option("--role <name>", "owner, admin, member, viewer, or a role of the tenant", "member")
    .addHelpText("after", "\nExample:\n  toolwright users invite ann@example.org --role owner --tenant acme");
  withTenant(define("list", "List members and open invitations", load("list"), users));
  withTenant(define("remove <who>", "Take somebody out, by e-mail or id, or take an invitation back", load("remove"), users));
  withTenant(define("set-role <who> <role>", "Change what somebody may do", load("setRole"), users));
  return users;
}

/** An account belongs to no tenant. */
function defineAccounts(users: Command, define: Define): void {
  const load = (name: "resetPassword" | "sessions" | "signOut") => async () => (await import("./users.ts"))[name];
  withCommon(define("reset-password <email>", "Print a link with which somebody sets a new password", load("resetPassword"), users));
  withCommon(define("sessions <email>", "List where somebody is signed in, and which programs act for them", load("sessions"), users));
  withCommon(define("sign-out <email>", "End their sessions and the access of programs", load("signOut"), users));
}

function defineKeys(program: Command, define: Define): void {
  const keys = program.command("keys").description("Keys with which programs call in the name of a tenant").exitOverride();
  const load = (name: "create" | "list" | "revoke") => async () => (await import("./keys.ts"))[name];
  withTenant(define("create <name>", "Make one, and show it once", load("create"), keys))
    .option(
      "--permission <name...>",
      "what it may, as in entities.tenant.read; * stands for any one part (default: only what needs no permission)",
    )
    .option("--agent <id>", "it calls in the name of this agent")
    .option("--user <who>", "it calls as this member, with no more than their role")
    .option("--days <count>", "how long it works, 1 to 3650", "90")
    .addHelpText("after", "\nExample:\n  toolwright keys create ci --permission 'entities.*.read' --days 30 --tenant acme");
  withTenant(define("list", "List them, never the keys themselves", load("list"), keys));
  withTenant(define("revoke <id>", "End one at once", load("revoke"), keys));
}
