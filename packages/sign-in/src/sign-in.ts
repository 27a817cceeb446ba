import { type Clock, createRandomIds, type Ids, systemClock } from "@toolwright/engine/ports";
import { betterAuth } from "better-auth";
import { answerFailures } from "./answer-failures.ts";
import { type AuthAnswer, asNavigation, createAuthCaller, isRegistration, isServedPath, withRetryAfter } from "./auth-caller.ts";
import { authOptions, authPath, type SignInOptions } from "./auth-options.ts";
import { chosenTenant, noTenant } from "./chosen-tenant.ts";
import { takeForms } from "./client-first.ts";
import type { AccountDirectory, MemberDirectory } from "./directories.ts";
import { findClient, type OAuthClient } from "./find-client.ts";
import { type AccessToken, identifyAccessToken } from "./identify-access-token.ts";
import { makeAccount, type NewAccount } from "./make-account.ts";
import { oidcProvider } from "./oidc-config.ts";
import { type PasswordProblem, problemOf } from "./password-problem.ts";
import { type Question, readQuestion } from "./read-question.ts";
import { answerScope, toolScope } from "./scopes.ts";
import { shapeMetadata } from "./shape-metadata.ts";
import { registerShaped } from "./shape-registration.ts";
import type { SignInHandle } from "./tables.ts";
import { tellRefusals, tellWrongPasswords } from "./tell-refusals.ts";

export interface Person {
  readonly user: string;
  readonly name: string;
  readonly email: string;
  readonly session: string;
  /** The tenant that they act in; undefined for who belongs to none. */
  readonly tenant: string | undefined;
}

/** Sign-in of people, and of programs in their name (OAuth 2.1). Cookies are in the answers; nothing else of a session leaves. */
export interface SignIn {
  /** Issuer of the authorization server (RFC 8414). */
  readonly issuer: string;
  /** Endpoints for programs and for the other server; undefined for what is none of them. */
  handle(request: Request): Promise<Response> | undefined;
  withPassword(
    request: Request,
    given: { readonly email: string; readonly password: string; readonly oauthQuery?: string | undefined },
  ): Promise<AuthAnswer>;
  /** `returnTo`: path of this server that leads on, where no question of a program does. */
  withOidc(
    request: Request,
    given: { readonly oauthQuery?: string | undefined; readonly returnTo?: string | undefined },
  ): Promise<AuthAnswer>;
  signOut(request: Request): Promise<AuthAnswer>;
  personOf(request: Request): Promise<Person | undefined>;
  /** False when the person does not belong to that tenant. */
  chooseTenant(person: Person, tenant: string): Promise<boolean>;
  /** What a client asks a person for, from the query of the page. Undefined unless this server signed the whole query, less than ten minutes ago. */
  readQuestion(search: string): Promise<Question | undefined>;
  /** Answers what a client asked for. Undefined when the person does not belong to the tenant that they chose. */
  consent(request: Request, given: Consent): Promise<AuthAnswer | undefined>;
  findClient(id: string): Promise<OAuthClient | undefined>;
  /** Makes the account of who was asked in and has none. */
  makeAccount(wanted: NewAccount): ReturnType<typeof makeAccount>;
  /** Sets a new password by a link, which is then used up, and ends every session. */
  resetPassword(wanted: {
    readonly token: string;
    readonly password: string;
  }): Promise<{ readonly email: string } | { readonly refused: PasswordProblem | "no_reset" }>;
  /** Ends the person's other sessions too. */
  changePassword(request: Request, wanted: { readonly current: string; readonly password: string }): Promise<AuthAnswer>;
  endOtherSessions(request: Request): Promise<AuthAnswer>;
  identifyAccessToken(token: string): Promise<AccessToken | undefined>;
}

interface Consent {
  readonly person: Person;
  /** In which the client may act; undefined when the person says no. */
  readonly tenant: string | undefined;
  /** Whether it may answer approvals, if it asked for that: what a person has to choose is not allowed along with the rest. */
  readonly mayAnswer: boolean;
  readonly oauthQuery: string;
}

export interface SignInParts {
  readonly handle: SignInHandle;
  readonly identity: MemberDirectory;
  readonly accounts: Pick<AccountDirectory, "findPasswordReset" | "takePasswordReset">;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** The library, with what is shaped for it on the way. */
function answerProgram(handle: SignInHandle, handler: (request: Request) => Promise<Response>): (request: Request) => Promise<Response> {
  return (request) =>
    isRegistration(request) ? registerShaped(handle, handler, request) : askAgain(handler, withScope(asNavigation(request)));
}

export async function createSignIn(parts: SignInParts, options: SignInOptions): Promise<SignIn> {
  const { handle: tables, identity, accounts, clock = systemClock, ids = createRandomIds() } = parts;
  const auth = betterAuth(authOptions({ handle: tables, identity, clock }, options));
  const { password, secret } = await auth.$context;
  const call = createAuthCaller(answerFailures(auth.handler, options.log), options);
  const telling = { options, clock };
  const handle = tellRefusals(answerFailures(takeForms(answerProgram(tables, auth.handler)), options.log), telling);
  const query = (oauthQuery: string | undefined) => (oauthQuery ? { oauth_query: oauthQuery } : {});
  const chooseTenant: SignIn["chooseTenant"] = async ({ user, session }, tenant) => {
    if (!(await identity.identifyMember({ tenant, user }))) return false;
    await tables.updateTable("toolwright.auth_sessions").set({ active_tenant: tenant }).where("id", "=", session).execute();
    return true;
  };
  return {
    issuer: `${options.origin}${authPath}`,
    handle: (request) =>
      isServedPath(request) ? handle(request).then((answer) => shapeMetadata(request, withRetryAfter(answer))) : undefined,
    withPassword: tellWrongPasswords(
      (request, given) => call(request, "/sign-in/email", { email: given.email, password: given.password, ...query(given.oauthQuery) }),
      telling,
    ),
    withOidc: (request, { oauthQuery, returnTo }) =>
      call(request, "/sign-in/social", {
        provider: oidcProvider,
        callbackURL: `${options.origin}${returnTo ?? "/auth/account"}`,
        errorCallbackURL: `${options.origin}/auth/error${returnTo === undefined ? "" : `?return=${encodeURIComponent(returnTo)}`}`,
        ...query(oauthQuery),
      }),
    signOut: (request) => call(request, "/sign-out", {}),
    async personOf(request) {
      const found = await auth.api.getSession({ headers: request.headers, query: { disableRefresh: true } });
      if (!found) return undefined;
      const { user, session } = found;
      return { user: user.id, name: user.name, email: user.email, session: session.id, tenant: session.activeTenant ?? undefined };
    },
    chooseTenant,
    readQuestion: (search) => readQuestion(search, secret),
    async consent(request, { person, tenant, mayAnswer, oauthQuery }) {
      const send = (answer: object) => call(request, "/oauth2/consent", { ...answer, oauth_query: oauthQuery });
      if (tenant === undefined) return send({ accept: false });
      if (!(await identity.identifyMember({ tenant, user: person.user }))) return undefined;
      const question = await readQuestion(oauthQuery, secret);
      const scopes = question?.scopes.filter((scope) => scope !== answerScope || mayAnswer) ?? [];
      if (question && scopes.length === 0) return send({ accept: false });
      // Without a question there is no scope, and the library refuses.
      const answer = await chosenTenant.run(tenant, () => send({ accept: true, scope: scopes.join(" ") }));
      await chooseTenant(person, tenant);
      return answer;
    },
    findClient: (id) => findClient(tables, id),
    async resetPassword({ token, password: wanted }) {
      const email = await accounts.findPasswordReset(token);
      if (email === undefined) return { refused: "no_reset" };
      const refused = problemOf(wanted);
      if (refused) return { refused };
      const isTaken = await accounts.takePasswordReset({ token, hashed: await password.hash(wanted) });
      return isTaken ? { email } : { refused: "no_reset" };
    },
    changePassword: (request, { current, password: wanted }) =>
      call(request, "/change-password", { currentPassword: current, newPassword: wanted, revokeOtherSessions: true }),
    endOtherSessions: (request) => call(request, "/revoke-other-sessions", {}),
    makeAccount: (wanted) => makeAccount({ handle: tables, identity, clock, ids, hash: password.hash }, wanted),
    identifyAccessToken: (token) => identifyAccessToken({ handle: tables, clock }, token),
  };
}

/**
 * Any program of a person's machine can wait where another one was let in: on any of its ports, or under its scheme. So nobody is let in there
 * without being asked, whatever was allowed before (RFC 8252 section 8.6).
 */
function askAgain(handler: (request: Request) => Promise<Response>, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const redirect = URL.parse(url.searchParams.get("redirect_uri") ?? "");
  if (url.pathname !== `${authPath}/oauth2/authorize` || !redirect || redirect.protocol === "https:") return handler(request);
  const prompts = new Set((url.searchParams.get("prompt") ?? "").split(" ").filter(Boolean));
  // Where nobody may be asked, the library finds no consent and says so.
  if (prompts.has("none")) return chosenTenant.run(noTenant, () => handler(request));
  url.searchParams.set("prompt", [...prompts.add("consent")].join(" "));
  return handler(new Request(url, request));
}

/** A program that names no scope gets this one. The library would give it all that there are, and with them the answers to approvals (R-AP-11). */
const defaultScope = toolScope;

function withScope(request: Request): Request {
  const url = new URL(request.url);
  if (url.pathname !== `${authPath}/oauth2/authorize` || (url.searchParams.get("scope") ?? "").trim() !== "") return request;
  url.searchParams.set("scope", defaultScope);
  return new Request(url, request);
}
