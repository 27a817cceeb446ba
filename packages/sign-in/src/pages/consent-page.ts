import type { Membership } from "@toolwright/engine/ports";
import { visibleText } from "@toolwright/engine/ports";
import type { MemberDirectory } from "../directories.ts";
import type { OAuthClient } from "../find-client.ts";
import { html } from "../html.ts";
import type { Person, SignIn } from "../sign-in.ts";
import { page, redirect } from "./page.ts";

interface ConsentParts {
  readonly signIn: SignIn;
  readonly identity: MemberDirectory;
}

const scopeWords: ReadonlyMap<string, string> = new Map([
  ["tools", "use the tools that you may use"],
  ["approvals", "answer approvals for you: it may say yes in your name"],
  ["offline_access", "keep doing so without asking again, until you take it back"],
]);

/** Asks a person, and says what they cannot know from the client: where the answer goes. That stands first, where no name can push it away. */
export async function showConsent({ signIn, identity }: ConsentParts, request: Request): Promise<Response> {
  const { search } = new URL(request.url);
  const person = await signIn.personOf(request);
  if (!person) return redirect(`/auth/sign-in${search}`);
  // Nothing of the address is shown that this server did not sign: a link can be written by anybody.
  const question = await signIn.readQuestion(search);
  if (!question) return showTooLate();
  const { target, scopes } = question;
  const client = await signIn.findClient(question.client);
  if (!client) return page("Unknown client", html`<p>The program that asked is not known here. Let it start again.</p>`, { status: 400 });
  const tenants = await identity.membershipsOf(person.user);
  return page("Allow access?", consentForm({ client, target, person, tenants, scopes, oauthQuery: search.slice(1) }));
}

interface Question {
  readonly client: OAuthClient;
  readonly target: URL;
  readonly person: Person;
  readonly tenants: readonly Membership[];
  readonly scopes: readonly string[];
  readonly oauthQuery: string;
}

function consentForm({ client, target, person, tenants, scopes, oauthQuery }: Question) {
  const isOfWeb = target.protocol === "https:" || target.protocol === "http:";
  const place = isOfWeb ? target.host : `the program of your computer that opens ${target.protocol} addresses`;
  const known =
    client.host === undefined
      ? "It registered itself, and nobody has checked its name."
      : html`Its name comes from <strong>${client.host}</strong>.`;
  return html`<p>The answer goes to <strong>${place}</strong>. Go on only if you started this yourself.</p>
<p>A program that calls itself <strong><bdi>${client.name}</bdi></strong> asks to act for you, ${person.email}. ${known} It wants to:</p>
<ul>${scopes.map((scope) => html`<li>${scopeWords.get(scope) ?? visibleText(scope)}</li>`)}</ul>
<form method="post" action="/auth/consent"><input type="hidden" name="oauth_query" value="${oauthQuery}">
<label>In the tenant <select name="tenant">${tenants.map(({ tenant, name }) => option(tenant, name, tenant === person.tenant))}</select></label>
<button name="answer" value="allow">Allow</button><button name="answer" value="deny">Deny</button></form>`;
}

function option(value: string, name: string, selected: boolean) {
  return selected ? html`<option value="${value}" selected>${name}</option>` : html`<option value="${value}">${name}</option>`;
}

export async function takeConsent({ signIn }: ConsentParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Response> {
  const oauthQuery = fields.get("oauth_query") ?? "";
  const person = await signIn.personOf(request);
  if (!person) return redirect(`/auth/sign-in?${oauthQuery}`);
  const tenant = fields.get("answer") === "allow" ? (fields.get("tenant") ?? "") : undefined;
  const answer = await signIn.consent(request, { person, tenant, oauthQuery });
  if (!answer) return redirect("/auth/error?error=no_tenant");
  const { status, location } = answer;
  return status >= 400 || location === undefined ? showTooLate() : redirect(location);
}

export function showTooLate(): Response {
  return page("This question is closed", html`<p>It is too old, or its address was changed. Let the program start again.</p>`, {
    status: 400,
  });
}
