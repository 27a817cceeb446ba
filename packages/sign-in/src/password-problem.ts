import { longestPassword, shortestPassword } from "./auth-options.ts";

export type PasswordProblem = "password_too_short" | "password_too_long";

/** Length is all that is asked for (NIST SP 800-63B-4 section 3.1.1.2). */
export function problemOf(password: string): PasswordProblem | undefined {
  if (password.length < shortestPassword) return "password_too_short";
  return password.length > longestPassword ? "password_too_long" : undefined;
}
