import type { MemberDirectory } from "../directories.ts";
import { html } from "../html/html.ts";
import type { SignIn } from "../sign-in.ts";
import { type Answer, type Page, page, redirect } from "./page.ts";
import { newPassword, passwordWords } from "./password-field.ts";

interface InvitationParts {
  readonly signIn: SignIn;
  readonly identity: MemberDirectory;
}

/** What the link of an invitation opens. */
export async function showInvitation({ signIn, identity }: InvitationParts, request: Request, wrong?: string): Promise<Page> {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  return invitationForm({ signIn, identity }, { request, token, wrong });
}

interface Opened {
  readonly request: Request;
  readonly token: string;
  readonly wrong?: string | undefined;
}

async function invitationForm({ signIn, identity }: InvitationParts, { request, token, wrong }: Opened): Promise<Page> {
  const invitation = await identity.findInvitation(token);
  if (!invitation)
    return page("No such invitation", html`<p>The invitation was used, withdrawn, or is too old. Ask for a new one.</p>`, { status: 404 });
  const kept = html`<input type="hidden" name="token" value="${token}">`;
  const intro = html`<p>You are invited to <strong>${invitation.tenant}</strong> as ${invitation.role}, with the address ${invitation.email}.</p>`;
  const person = await signIn.personOf(request);
  if (person?.email === invitation.email)
    return page(
      "Invitation",
      html`${intro}<form method="post" action="/auth/accept">${kept}<p class="row"><button class="primary">Accept</button></p></form>`,
      { wrong },
    );
  const again = `/auth/sign-in?return=${encodeURIComponent(`/auth/accept?token=${encodeURIComponent(token)}`)}`;
  const form = html`${intro}<form class="card" method="post" action="/auth/accept">${kept}
<label>Your name <input name="name" autocomplete="name" required></label>
${newPassword}
<p class="row"><button class="primary">Create account</button></p></form>
<p class="small">You have an account already? <a href="${again}">Sign in</a> to accept with it.</p>`;
  return page("Invitation", form, { status: wrong === undefined ? 200 : 400, wrong });
}

const refusals = {
  no_invitation: "This invitation is no longer open. Ask for a new one.",
  ...passwordWords,
  has_account: "This address has an account already. Sign in to accept with it.",
} as const;

export async function takeInvitation(parts: InvitationParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Answer> {
  const { signIn, identity } = parts;
  const token = fields.get("token") ?? "";
  const password = fields.get("password");
  const person = await signIn.personOf(request);
  if (person && password === undefined) {
    const accepted = await identity.acceptInvitations(person, token);
    const [first] = accepted;
    if (first && person.tenant === undefined) await signIn.chooseTenant(person, first.tenant);
    return first ? redirect("/auth/account") : invitationForm(parts, { request, token, wrong: refusals.no_invitation });
  }
  const made = await signIn.makeAccount({ token, name: fields.get("name") ?? "", password: password ?? "" });
  if ("refused" in made) return invitationForm(parts, { request, token, wrong: refusals[made.refused] });
  const { location, cookies } = await signIn.withPassword(request, { email: made.email, password: password ?? "" });
  return redirect(location ?? "/auth/account", cookies);
}
