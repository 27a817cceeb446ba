import { html } from "../html/html.ts";
import type { SignIn } from "../sign-in.ts";
import { showTooLate } from "./consent-page.ts";
import { ownPath } from "./own-path.ts";
import { type Answer, type Page, page, redirect, tooManyAttempts } from "./page.ts";
import { selfNamed } from "./program-words.ts";

interface SignInPageParts {
  readonly signIn: SignIn;
  /** Name of the OpenID Connect server, for the button. */
  readonly oidcName: string | undefined;
}

interface Shown {
  readonly oauthQuery: string;
  /** Path of this server that leads on, where nothing else does. */
  readonly returnTo?: string | undefined;
  readonly email?: string;
  readonly status?: number;
  readonly wrong?: string;
  readonly done?: string | undefined;
}

export async function showSignIn(
  { signIn, oidcName }: SignInPageParts,
  { oauthQuery, returnTo, email = "", ...more }: Shown,
): Promise<Page> {
  const kept = html`<input type="hidden" name="oauth_query" value="${oauthQuery}">${returnTo !== undefined && html`<input type="hidden" name="return_to" value="${returnTo}">`}`;
  const body = html`${await whoAsks(signIn, oauthQuery)}
<div class="card"><form method="post" action="/auth/sign-in">${kept}
<label>E-mail <input name="email" type="email" autocomplete="username" required value="${email}"></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<p class="row"><button class="primary">Sign in</button></p></form>
${oidcName !== undefined && html`<form method="post" action="/auth/oidc">${kept}<p class="row"><button>Sign in with ${oidcName}</button></p></form>`}</div>`;
  return page("Sign in", body, more);
}

/** The program whose question waits. Nothing of an address is shown that this server did not sign. */
async function whoAsks(signIn: SignIn, oauthQuery: string) {
  const question = oauthQuery === "" ? undefined : await signIn.readQuestion(oauthQuery);
  const client = question && (await signIn.findClient(question.client));
  return client && html`<p>${selfNamed(client.name)} asks for access. Sign in first, then allow or deny it.</p>`;
}

const signedOut = "sign-out";
/** Where a person comes who signed out. */
export const signedOutPath = `/auth/sign-in?done=${signedOut}`;

/** What is asked for: the question of a program, or a page of this server. */
export function askedFor({ search, searchParams }: URL): Pick<Shown, "oauthQuery" | "returnTo" | "done"> {
  if (searchParams.has("return")) return { oauthQuery: "", returnTo: ownPath(searchParams.get("return") ?? "") };
  if (searchParams.get("done") === signedOut) return { oauthQuery: "", done: "You are signed out." };
  return { oauthQuery: search.slice(1) };
}

const wrongPassword = "E-mail or password is not right. Try again, or ask the operator for a link that sets a new password.";

export async function takeSignIn(parts: SignInPageParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Answer> {
  const email = fields.get("email") ?? "";
  const oauthQuery = fields.get("oauth_query") ?? "";
  const returnTo = ownPath(fields.get("return_to") ?? "");
  const { status, questionClosed, retryAfter, location, cookies } = await parts.signIn.withPassword(request, {
    email,
    password: fields.get("password") ?? "",
    oauthQuery,
  });
  if (status < 400) return redirect(location ?? returnTo ?? "/auth/account", cookies);
  if (questionClosed) return showTooLate();
  if (status === 429) return showSignIn(parts, { oauthQuery, returnTo, email, status, wrong: tooManyAttempts(retryAfter) });
  return showSignIn(parts, { oauthQuery, returnTo, email, status: 401, wrong: wrongPassword });
}

export async function takeOidc(parts: SignInPageParts, request: Request, fields: ReadonlyMap<string, string>): Promise<Answer> {
  const oauthQuery = fields.get("oauth_query") ?? "";
  const returnTo = ownPath(fields.get("return_to") ?? "");
  const { status, questionClosed, retryAfter, location, cookies } = await parts.signIn.withOidc(request, { oauthQuery, returnTo });
  if (questionClosed) return showTooLate();
  if (status === 429) return showSignIn(parts, { oauthQuery, returnTo, status, wrong: tooManyAttempts(retryAfter) });
  return location === undefined ? redirect("/auth/error?error=oidc_unreachable") : redirect(location, cookies);
}

const meanings: ReadonlyMap<string, string> = new Map([
  ["oidc_unreachable", "The other server cannot be reached. Try again, or tell the operator."],
  [
    "unable_to_create_user",
    "Nobody has invited this address, or the other server has not checked that it is yours. Ask for an invitation.",
  ],
  ["account_not_linked", "There is an account with this address already, and it has a password. Sign in with that."],
  ["no_tenant", "You do not belong to any tenant. Ask for an invitation."],
]);

/** Meanings of errors in the question of a program: nobody was refused to sign in. Written in the words of OAuth, which those who write programs look for. */
const programMeanings: ReadonlyMap<string, string> = new Map([
  [
    "invalid_client",
    "The program that asked is unknown here: its client id is not registered, or its registration was removed. Let it register again.",
  ],
  ["client_disabled", "The program that asked was turned off. Ask the operator."],
  ["unauthorized_client", "The program that asked is not registered for this way to ask. Let it register again."],
  [
    "invalid_redirect",
    "The program named an address for the answer (redirect_uri) that it did not register. Let it register again with that address.",
  ],
  ["unsupported_response_type", "The program asked in a way that is not offered here; response_type must be code."],
  ["invalid_request", "The program asked in a way that is not valid. Its author finds the rule in OAuth 2.1, section 4.1.1."],
]);

/** Only what is in the tables is shown: the address of the page can be written by anybody. */
export function showError({ searchParams }: URL): Page {
  const said = searchParams.get("error") ?? "";
  const ofProgram = programMeanings.get(said);
  if (ofProgram !== undefined) return page("Access not granted", html`<p>${ofProgram}</p>`, { status: 400 });
  const words = meanings.get(said) ?? "That did not work. Start again; if it happens again, the operator's log says more.";
  const returnTo = ownPath(searchParams.get("return") ?? "");
  const again = returnTo === undefined ? "/auth/sign-in" : `/auth/sign-in?return=${encodeURIComponent(returnTo)}`;
  return page("Not signed in", html`<p>${words}</p><p><a href="${again}">Sign in</a></p>`, { status: 400 });
}
