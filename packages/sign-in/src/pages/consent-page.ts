import type { Membership } from "@toolwright/engine/ports";
import type { MemberDirectory } from "../directories.ts";
import type { OAuthClient } from "../find-client.ts";
import { html } from "../html/html.ts";
import { answerScope } from "../scopes.ts";
import type { Person, SignIn } from "../sign-in.ts";
import { type Answer, type Page, page, redirect, signInPath } from "./page.ts";
import { askedWords, selfNamed } from "./program-words.ts";

interface ConsentParts {
  readonly signIn: SignIn;
  readonly identity: MemberDirectory;
}

/** Asks a person, and says what they cannot know from the client: where the answer goes. That stands first, where no name can push it away. */
export async function showConsent({ signIn, identity }: ConsentParts, request: Request): Promise<Answer> {
  const { search } = new URL(request.url);
  const person = await signIn.personOf(request);
  if (!person) return redirect(`/auth/sign-in${search}`);
  // Nothing of the address is shown that this server did not sign: a link can be written by anybody.
  const question = await signIn.readQuestion(search);
  if (!question) return showTooLate();
  const { target, scopes } = question;
  const client = await signIn.findClient(question.client);
  if (!client)
    return page("Unknown program", html`<p>This server does not know the program that asked. Start again in the program.</p>`, {
      status: 400,
    });
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
  const plain = scopes.filter((scope) => scope !== answerScope);
  const kept = html`<input type="hidden" name="oauth_query" value="${oauthQuery}">`;
  return html`<p>The answer goes to <strong>${place}</strong>. Continue only if you started this yourself.</p>
<p>${selfNamed(client.name)} asks to act for you, ${person.email}. ${known}${plain.length > 0 && " It wants to:"}</p>
${plain.length > 0 && html`<ul>${plain.map((scope) => html`<li>${askedWords(scope)}</li>`)}</ul>`}
<form class="card" method="post" action="/auth/consent">${kept}
${scopes.includes(answerScope) && answerField(plain.length === 0)}
<label>In the tenant <select name="tenant">${tenants.map(({ tenant, name }) => option(tenant, name, tenant === person.tenant))}</select></label>
<p class="row"><button class="primary" name="answer" value="allow">Allow</button><button name="answer" value="deny" formnovalidate>Deny</button></p></form>
<form class="small" method="post" action="/auth/sign-out">${kept}Not ${person.email}? <button class="link">Use another account</button></form>`;
}

/** Off until a person turns it on. Where nothing else is asked for, a yes without it would allow nothing. */
function answerField(isAll: boolean) {
  return html`<div class="asks"><input type="checkbox" id="approvals" name="approvals" value="yes"${isAll && html` required`}>
<label for="approvals">Also let it ${askedWords(answerScope)} <span class="hint">It then says yes in your name, also to its own calls. Leave this off unless this program is where you answer approvals.</span></label></div>`;
}

function option(value: string, name: string, selected: boolean) {
  return html`<option value="${value}"${selected && html` selected`}>${name}</option>`;
}

export async function takeConsent({ signIn }: ConsentParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Answer> {
  const oauthQuery = fields.get("oauth_query") ?? "";
  const person = await signIn.personOf(request);
  if (!person) return redirect(signInPath(oauthQuery));
  const tenant = fields.get("answer") === "allow" ? (fields.get("tenant") ?? "") : undefined;
  const answer = await signIn.consent(request, { person, tenant, mayAnswer: fields.get("approvals") === "yes", oauthQuery });
  if (!answer) return redirect("/auth/error?error=no_tenant");
  const { status, location } = answer;
  return status >= 400 || location === undefined ? showTooLate() : redirect(location);
}

export function showTooLate(): Page {
  return page("This question is closed", html`<p>It is too old, or its address was changed. Start again in the program.</p>`, {
    status: 400,
  });
}
