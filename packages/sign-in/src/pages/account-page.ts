import { longestPassword, shortestPassword } from "../auth-options.ts";
import type { AccountDirectory, MemberDirectory, PersonClient, PersonSession } from "../directories.ts";
import { html } from "../html.ts";
import type { Person, SignIn } from "../sign-in.ts";
import { page, redirect, tooManyAttempts } from "./page.ts";
import { newPassword, passwordWords } from "./password-field.ts";

interface AccountParts {
  readonly signIn: SignIn;
  readonly identity: MemberDirectory;
  readonly accounts: AccountDirectory;
}

/** What was done, for whoever comes back to the page from it. */
const doneWords: ReadonlyMap<string | null, string> = new Map([
  ["password", "Your password is changed, and you are signed out everywhere else."],
  ["sessions", "You are signed out everywhere else."],
  ["withdrawal", "The access is taken back."],
]);

/** What a person may see and end of their own. */
export async function showAccount({ signIn, identity, accounts }: AccountParts, request: Request, wrong?: string): Promise<Response> {
  const person = await signIn.personOf(request);
  if (!person) return redirect("/auth/sign-in");
  const [tenants, sessions, clients] = await Promise.all([
    identity.membershipsOf(person.user),
    accounts.listSessions(person.email),
    accounts.listClients(person.email),
  ]);
  const body = html`<p>You are ${person.name} (${person.email}).</p>
<ul>${tenants.map(({ name, role }) => html`<li>${name}: ${role}</li>`)}</ul>
<form method="post" action="/auth/sign-out"><button>Sign out</button></form>
<h2>Signed in</h2>
<ul>${sessions.map((session) => describeSession(session, person))}</ul>
${sessions.length > 1 && html`<form method="post" action="/auth/sessions"><button>Sign out everywhere else</button></form>`}
<h2>Programs</h2>
${clients.length === 0 ? html`<p>No program acts for you.</p>` : clients.map(describeClient)}
<h2>Password</h2>
<form method="post" action="/auth/password"><input type="hidden" autocomplete="username" value="${person.email}">
<label>The password that you have <input name="current" type="password" autocomplete="current-password" required></label>
${newPassword}
<button>Change it</button></form>`;
  const done = wrong === undefined ? doneWords.get(new URL(request.url).searchParams.get("done")) : undefined;
  return page("Your account", body, { status: wrong === undefined ? 200 : 400, wrong, done });
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

function describeSession({ id, since, address, agent }: PersonSession, person: Person) {
  const where = [address, agent?.slice(0, 100)].filter(Boolean).join(", ");
  return html`<li>Since ${dayOf(since)}${where && `: ${where}`}${id === person.session && " (here)"}</li>`;
}

function describeClient({ client, name, tenant, since }: PersonClient) {
  return html`<form method="post" action="/auth/withdraw"><input type="hidden" name="client" value="${client}"><input type="hidden" name="tenant" value="${tenant}">
<strong><bdi>${name}</bdi></strong> in ${tenant}, since ${dayOf(since)} <button aria-label="Take back the access of ${name} in ${tenant}">Take back</button></form>`;
}

export async function takeSignOut({ signIn }: AccountParts, request: Request): Promise<Response> {
  const { cookies } = await signIn.signOut(request);
  return redirect("/auth/sign-in", cookies);
}

export async function takeOtherSessions({ signIn }: AccountParts, request: Request): Promise<Response> {
  await signIn.endOtherSessions(request);
  return redirect("/auth/account?done=sessions");
}

export async function takeWithdrawal(
  { signIn, accounts }: AccountParts,
  request: Request,
  fields: ReadonlyMap<string, string>,
): Promise<Response> {
  const person = await signIn.personOf(request);
  if (!person) return redirect("/auth/sign-in");
  await accounts.withdraw(person.email, { client: fields.get("client") ?? "", tenant: fields.get("tenant") ?? "" });
  return redirect("/auth/account?done=withdrawal");
}

export async function takePassword(parts: AccountParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Response> {
  const password = fields.get("password") ?? "";
  if (password.length < shortestPassword) return showAccount(parts, request, passwordWords.password_too_short);
  if (password.length > longestPassword) return showAccount(parts, request, passwordWords.password_too_long);
  const { status, retryAfter, cookies } = await parts.signIn.changePassword(request, { current: fields.get("current") ?? "", password });
  if (status < 400) return redirect("/auth/account?done=password", cookies);
  const wrong =
    status === 429
      ? tooManyAttempts(retryAfter)
      : "The password that you have is not right. Try again, or ask the operator for a link that sets a new one.";
  return showAccount(parts, request, wrong);
}
