import type { Command } from "commander";
import { type Define, withCommon, withServer, withServerOption } from "../define.ts";

/** Tenants, who belongs to them, and keys. */
export function defineIdentity(program: Command, define: Define): void {
  withServer(define("whoami", "Show for whom commands act, and what they may do", async () => (await import("./whoami.ts")).whoami));
  defineTenants(program, define);
  defineAccounts(defineUsers(program, define), define);
  defineRoles(program, define);
  defineKeys(program, define);
}

function defineTenants(program: Command, define: Define): void {
  const tenants = program.command("tenants").description("Create and suspend tenants; no data crosses from one to another").exitOverride();
  const load = (name: "create" | "list" | "suspend" | "resume") => async () => (await import("./tenants.ts"))[name];
  withServerOption(withCommon(define("create <tenant>", "Create a tenant", load("create"), tenants))).option(
    "--name <text>",
    "display name",
  );
  withServerOption(withCommon(define("list", "List all tenants", load("list"), tenants)));
  withServerOption(withCommon(define("suspend <tenant>", "Block all access to a tenant; keep its data", load("suspend"), tenants)));
  withServerOption(withCommon(define("resume <tenant>", "Restore access to a suspended tenant", load("resume"), tenants)));
}

function defineUsers(program: Command, define: Define): Command {
  const users = program.command("users").description("Manage the members of a tenant and their roles").exitOverride();
  const load = (name: "invite" | "list" | "remove" | "setRole") => async () => (await import("./users.ts"))[name];
  withServer(define("invite <email>", "Create an invitation and print its link", load("invite"), users))
    .option("--role <name>", "owner, admin, member, viewer, or a role of the tenant", "member")
    .addHelpText("after", "\nExample:\n  toolwright users invite ann@example.org --role owner --tenant acme");
  withServer(define("list", "List members and open invitations", load("list"), users));
  withServer(define("remove <who>", "Remove a member, by e-mail or id, or withdraw an invitation", load("remove"), users));
  withServer(define("set-role <who> <role>", "Change the role of a member", load("setRole"), users));
  return users;
}

/** An account belongs to no tenant. */
function defineAccounts(users: Command, define: Define): void {
  const load = (name: "resetPassword" | "sessions" | "signOut") => async () => (await import("./users.ts"))[name];
  withCommon(define("reset-password <email>", "Print a link to set a new password", load("resetPassword"), users));
  withCommon(define("sessions <email>", "List a person's sign-ins and the programs that act for them", load("sessions"), users));
  withCommon(define("sign-out <email>", "End a person's sign-ins and the access of their programs", load("signOut"), users));
}

function defineRoles(program: Command, define: Define): void {
  const roles = program.command("roles").description("Manage the roles of a tenant, and what each may").exitOverride();
  const load = (name: "list" | "set" | "remove") => async () => (await import("./roles.ts"))[name];
  withServer(define("list", "List roles: the built-in ones, then those of the tenant", load("list"), roles));
  withServer(define("set <role>", "Create a role, or replace what it may", load("set"), roles))
    .option(
      "--permission <name...>",
      "what it may, as in entities.tenant.read; * stands for any one part (default: only what needs no permission)",
    )
    .addHelpText("after", "\nExample:\n  toolwright roles set auditor --permission '*.*.read' --permission log:read --tenant acme");
  withServer(define("remove <role>", "Remove a role that nobody has", load("remove"), roles));
}

function defineKeys(program: Command, define: Define): void {
  const keys = program.command("keys").description("Manage API keys of a tenant").exitOverride();
  const load = (name: "create" | "list" | "revoke") => async () => (await import("./keys.ts"))[name];
  withServer(define("create <name>", "Create a key and print it once", load("create"), keys))
    .option(
      "--permission <name...>",
      "what it may, as in entities.tenant.read; * stands for any one part (default: only what needs no permission)",
    )
    .option("--agent <id>", "the key calls in the name of this agent")
    .option("--user <who>", "the key calls as this member, within their role")
    .option("--days <count>", "days until the key expires, 1 to 3650", "90")
    .addHelpText("after", "\nExample:\n  toolwright keys create ci --permission 'entities.*.read' --days 30 --tenant acme");
  withServer(define("list", "List keys; never prints the secret part", load("list"), keys));
  withServer(define("revoke <id>", "Revoke a key at once", load("revoke"), keys));
}
