import type { MemberDirectory } from "../directories.ts";
import { html } from "../html.ts";
import type { SignIn } from "../sign-in.ts";
import { page, redirect } from "./page.ts";
import { newPassword, passwordWords } from "./password-field.ts";

interface InvitationParts {
  readonly signIn: SignIn;
  readonly identity: MemberDirectory;
}

/** What the link of an invitation opens. */
export async function showInvitation({ signIn, identity }: InvitationParts, request: Request, wrong?: string): Promise<Response> {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  return invitationForm({ signIn, identity }, { request, token, wrong });
}

interface Opened {
  readonly request: Request;
  readonly token: string;
  readonly wrong?: string | undefined;
}

async function invitationForm({ signIn, identity }: InvitationParts, { request, token, wrong }: Opened): Promise<Response> {
  const invitation = await identity.findInvitation(token);
  if (!invitation)
    return page("No such invitation", html`<p>It was used, taken back or is too old. Ask for a new one.</p>`, { status: 404 });
  const kept = html`<input type="hidden" name="token" value="${token}">`;
  const intro = html`<p>You are invited to <strong>${invitation.tenant}</strong> as ${invitation.role}, with the address ${invitation.email}.</p>`;
  const person = await signIn.personOf(request);
  if (person?.email === invitation.email)
    return page("Invitation", html`${intro}<form method="post" action="/auth/accept">${kept}<button>Accept</button></form>`, { wrong });
  const form = html`${intro}<form method="post" action="/auth/accept">${kept}
<label>Your name <input name="name" autocomplete="name" required></label>
${newPassword}
<button>Make the account</button></form><p>You have an account already? <a href="/auth/sign-in">Sign in</a> first, then open the link again.</p>`;
  return page("Invitation", form, { status: wrong === undefined ? 200 : 400, wrong });
}

const refusals = {
  no_invitation: "The invitation is not open any more.",
  ...passwordWords,
  has_account: "There is an account with this address already. Sign in first, then open the link again.",
} as const;

export async function takeInvitation(parts: InvitationParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Response> {
  const { signIn, identity } = parts;
  const token = fields.get("token") ?? "";
  const password = fields.get("password");
  const person = await signIn.personOf(request);
  if (person && password === undefined) {
    const accepted = await identity.acceptInvitations(person, token);
    return accepted.length > 0 ? redirect("/auth/account") : invitationForm(parts, { request, token, wrong: refusals.no_invitation });
  }
  const made = await signIn.makeAccount({ token, name: fields.get("name") ?? "", password: password ?? "" });
  if ("refused" in made) return invitationForm(parts, { request, token, wrong: refusals[made.refused] });
  const { location, cookies } = await signIn.withPassword(request, { email: made.email, password: password ?? "" });
  return redirect(location ?? "/auth/account", cookies);
}
