import type { AccountDirectory } from "../directories.ts";
import { html } from "../html/html.ts";
import type { SignIn } from "../sign-in.ts";
import { type Answer, type Page, page, redirect } from "./page.ts";
import { newPassword, passwordWords } from "./password-field.ts";

interface ResetParts {
  readonly signIn: SignIn;
  readonly accounts: AccountDirectory;
}

interface Opened {
  readonly token: string;
  readonly wrong?: string;
}

/** What the link opens with which a person sets a new password. */
export async function showReset({ accounts }: Pick<ResetParts, "accounts">, { token, wrong }: Opened): Promise<Page> {
  const email = await accounts.findPasswordReset(token);
  if (email === undefined)
    return page("No such link", html`<p>The link was used, replaced by another, or is too old. Ask the operator for a new one.</p>`, {
      status: 404,
    });
  const form = html`<p>Set a new password for ${email}. It signs you out everywhere else, and programs that act for you have to ask again.</p>
<form class="card" method="post" action="/auth/reset"><input type="hidden" name="token" value="${token}"><input type="hidden" autocomplete="username" value="${email}">
${newPassword}
<p class="row"><button class="primary">Set password</button></p></form>`;
  return page("New password", form, { status: wrong === undefined ? 200 : 400, wrong });
}

export async function takeReset({ signIn, accounts }: ResetParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Answer> {
  const token = fields.get("token") ?? "";
  const password = fields.get("password") ?? "";
  const taken = await signIn.resetPassword({ token, password });
  if ("refused" in taken)
    return showReset({ accounts }, { token, ...(taken.refused !== "no_reset" && { wrong: passwordWords[taken.refused] }) });
  const { location, cookies } = await signIn.withPassword(request, { email: taken.email, password });
  return redirect(location ?? "/auth/account", cookies);
}
