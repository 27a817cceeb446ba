import { longestPassword, shortestPassword } from "../auth-options.ts";
import type { AccountDirectory, MemberDirectory, PersonClient, PersonSession } from "../directories.ts";
import { html } from "../html/html.ts";
import { answerScope } from "../scopes.ts";
import type { Person, SignIn } from "../sign-in.ts";
import { describeBrowser } from "./describe-browser.ts";
import { type Answer, page, redirect, signInPath, tooManyAttempts } from "./page.ts";
import { newPassword, passwordWords } from "./password-field.ts";
import { allowedWords } from "./program-words.ts";
import { signedOutPath } from "./sign-in-page.ts";
import { describeTenants } from "./tenant-choice.ts";

interface AccountParts {
  readonly signIn: SignIn;
  readonly identity: MemberDirectory;
  readonly accounts: AccountDirectory;
  /** Name of the OpenID Connect server. */
  readonly oidcName: string | undefined;
}

/** What was done, for whoever comes back to the page from it. */
const doneWords: ReadonlyMap<string | null, string> = new Map([
  ["password", "Your password is changed, and you are signed out everywhere else."],
  ["tenant", "You act in another tenant now."],
  ["sessions", "You are signed out everywhere else."],
  ["withdrawal", "Access revoked. The program has to ask again."],
]);

/** What a person may see and end of their own. */
export async function showAccount(
  { signIn, identity, accounts, oidcName }: AccountParts,
  request: Request,
  wrong?: string,
): Promise<Answer> {
  const person = await signIn.personOf(request);
  if (!person) return redirect("/auth/sign-in");
  const [tenants, sessions, clients, hasPassword] = await Promise.all([
    identity.membershipsOf(person.user),
    accounts.listSessions(person.email),
    accounts.listClients(person.email),
    accounts.hasPassword(person.email),
  ]);
  const body = html`<p>You are ${person.name} (${person.email}).</p>
<form class="row" method="post" action="/auth/sign-out"><button>Sign out</button><a href="/">Open the console</a></form>
<h2>Tenants</h2>
${describeTenants(tenants, person)}
<h2>Browsers</h2>
<ul class="rows">${sessions.map((session) => describeSession(session, person))}</ul>
${sessions.length > 1 && html`<form method="post" action="/auth/sessions"><button>Sign out everywhere else</button></form>`}
<h2>Programs that act for you</h2>
${clients.length === 0 ? html`<p class="dim">No program acts for you. One that you connect asks you first, and is listed here.</p>` : html`<ul class="rows">${clients.map(describeClient)}</ul>`}
${hasPassword ? passwordForm(person) : describeOtherServer(oidcName)}`;
  const done = wrong === undefined ? doneWords.get(new URL(request.url).searchParams.get("done")) : undefined;
  return page("Your account", body, { status: wrong === undefined ? 200 : 400, wrong, done, isWide: true });
}

function describeOtherServer(name = "another server") {
  return html`<h2>Sign-in</h2>
<p>You sign in with ${name}. There is no password here to change.</p>`;
}

function passwordForm({ email }: Person) {
  return html`<h2>Password</h2>
<form class="card" method="post" action="/auth/password"><input type="hidden" autocomplete="username" value="${email}">
<label>Current password <input name="current" type="password" autocomplete="current-password" required></label>
${newPassword}
<p class="row"><button class="primary">Change password</button></p></form>`;
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const minuteFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
const writeTime = (at: number, words: string) => html`<time datetime="${new Date(at).toISOString()}">${words}</time>`;
const dayOf = (at: number) => writeTime(at, dayFormat.format(at));
/** The page cannot know the hour of who reads it. */
const minuteOf = (at: number) => writeTime(at, `${minuteFormat.format(at)} UTC`);

function describeSession({ id, since, address, agent }: PersonSession, person: Person) {
  return html`<li><div><strong>${describeBrowser(agent)}</strong>${id === person.session && " (this browser)"}
<p class="dim small">Signed in since ${dayOf(since)}${address !== undefined && ` from ${address}`}</p></div></li>`;
}

function describeClient({ client, name, tenant, scopes, since, lastUsedAt }: PersonClient) {
  const used = lastUsedAt === undefined ? "not used yet" : html`last used ${minuteOf(lastUsedAt)}`;
  return html`<li><div><strong><bdi>${name}</bdi></strong> in ${tenant}
<ul>${scopes.map((scope) => html`<li${scope === answerScope && html` class="mark"`}>${allowedWords(scope)}</li>`)}</ul>
<p class="dim small">Allowed since ${dayOf(since)}, ${used}</p></div>
<form method="post" action="/auth/withdraw"><input type="hidden" name="client" value="${client}"><input type="hidden" name="tenant" value="${tenant}">
<button aria-label="Revoke access of ${name} in ${tenant}">Revoke access</button></form></li>`;
}

export async function takeTenant(parts: AccountParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Answer> {
  const person = await parts.signIn.personOf(request);
  if (!person) return redirect("/auth/sign-in");
  if (await parts.signIn.chooseTenant(person, fields.get("tenant") ?? "")) return redirect("/auth/account?done=tenant");
  return showAccount(parts, request, "You do not belong to that tenant, or it is suspended. Choose one of those below.");
}

/** With the question of a program it goes on to another account, for that question. */
export async function takeSignOut({ signIn }: AccountParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Response> {
  const { cookies } = await signIn.signOut(request);
  const oauthQuery = fields.get("oauth_query") ?? "";
  return redirect(oauthQuery === "" ? signedOutPath : signInPath(oauthQuery), cookies);
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

export async function takePassword(parts: AccountParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Answer> {
  const password = fields.get("password") ?? "";
  if (password.length < shortestPassword) return showAccount(parts, request, passwordWords.password_too_short);
  if (password.length > longestPassword) return showAccount(parts, request, passwordWords.password_too_long);
  const { status, retryAfter, cookies } = await parts.signIn.changePassword(request, { current: fields.get("current") ?? "", password });
  if (status < 400) return redirect("/auth/account?done=password", cookies);
  const wrong =
    status === 429
      ? tooManyAttempts(retryAfter)
      : "The current password is not right. Try again, or ask the operator for a link that sets a new one.";
  return showAccount(parts, request, wrong);
}
