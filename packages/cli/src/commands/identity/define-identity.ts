import type { Command } from "commander";
import { type Define, groupOf, withCommon } from "../define.ts";

/** The accounts of people, which belong to no tenant. */
export function defineIdentity(program: Command, define: Define): void {
  const users = groupOf(program, "users");
  const load = (name: "resetPassword" | "sessions" | "signOut") => async () => (await import("./users.ts"))[name];
  withCommon(define("reset-password <email>", "Print a link to set a new password", load("resetPassword"), users));
  withCommon(define("sessions <email>", "List a person's sign-ins and the programs that act for them", load("sessions"), users));
  withCommon(define("sign-out <email>", "End a person's sign-ins and the access of their programs", load("signOut"), users));
}
