import type { Identity } from "@toolwright/postgres";
import { longestPassword, type SignIn, shortestPassword } from "@toolwright/postgres/sign-in";
import { html, page, redirect } from "./page.ts";

interface AccountParts {
  readonly signIn: SignIn;
  readonly identity: Identity;
}

export async function showAccount({ signIn, identity }: AccountParts, request: Request): Promise<Response> {
  const person = await signIn.personOf(request);
  if (!person) return redirect("/auth/sign-in");
  const tenants = await identity.membershipsOf(person.user);
  const body = html`<p>You are ${person.name} (${person.email}).</p>
<ul>${tenants.map(({ name, role }) => html`<li>${name}: ${role}</li>`)}</ul>
<form method="post" action="/auth/sign-out"><button>Sign out</button></form>`;
  return page("Your account", body);
}

export async function takeSignOut({ signIn }: AccountParts, request: Request): Promise<Response> {
  const { cookies } = await signIn.signOut(request);
  return redirect("/auth/sign-in", cookies);
}

/** What the link of an invitation opens. */
export async function showInvitation({ signIn, identity }: AccountParts, request: Request, wrong?: string): Promise<Response> {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  return invitationForm({ signIn, identity }, { request, token, wrong });
}

interface Opened {
  readonly request: Request;
  readonly token: string;
  readonly wrong?: string | undefined;
}

async function invitationForm({ signIn, identity }: AccountParts, { request, token, wrong }: Opened): Promise<Response> {
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
<label>A password of at least ${shortestPassword} characters <input name="password" type="password" autocomplete="new-password" minlength="${shortestPassword}" maxlength="${longestPassword}" required></label>
<button>Make the account</button></form><p>You have an account already? <a href="/auth/sign-in">Sign in</a> first, then open the link again.</p>`;
  return page("Invitation", form, { status: wrong === undefined ? 200 : 400, wrong });
}

const refusals = {
  no_invitation: "The invitation is not open any more.",
  password_too_short: `The password is too short. Use at least ${shortestPassword} characters.`,
  password_too_long: `The password is too long. Use at most ${longestPassword} characters.`,
  has_account: "There is an account with this address already. Sign in first, then open the link again.",
} as const;

export async function takeInvitation(parts: AccountParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Response> {
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
