import { longestPassword, shortestPassword } from "../auth-options.ts";
import { html } from "../html/html.ts";
import type { PasswordProblem } from "../password-problem.ts";

/** For the one that is about to be set. */
export const newPassword = html`<label>New password <span class="hint">At least ${shortestPassword} characters</span> <input name="password" type="password" autocomplete="new-password" minlength="${shortestPassword}" maxlength="${longestPassword}" required></label>`;

export const passwordWords: Readonly<Record<PasswordProblem, string>> = {
  password_too_short: `The password is too short. Use at least ${shortestPassword} characters.`,
  password_too_long: `The password is too long. Use at most ${longestPassword} characters.`,
};
