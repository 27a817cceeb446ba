import type { AccountDirectory, MemberDirectory } from "../directories.ts";
import type { Scheme } from "../html/document.ts";
import { answerScope, oauthScopes } from "../scopes.ts";
import type { SignIn } from "../sign-in.ts";
import { showAccount, takeOtherSessions, takePassword, takeSignOut, takeTenant, takeWithdrawal } from "./account-page.ts";
import { showConsent, takeConsent } from "./consent-page.ts";
import { holdsNul, nulWords } from "./holds-nul.ts";
import { showInvitation, takeInvitation } from "./invitation-page.ts";
import { type Answer, respond } from "./page.ts";
import { mostBytes, readBody } from "./read-body.ts";
import { showRefusedClient } from "./refused-client-page.ts";
import { showReset, takeReset } from "./reset-page.ts";
import { askedFor, showError, showSignIn, takeOidc, takeSignIn } from "./sign-in-page.ts";
import { describePerson } from "./tenant-choice.ts";

export interface AuthRoutesParts {
  readonly signIn: SignIn;
  readonly identity: MemberDirectory;
  readonly accounts: AccountDirectory;
  readonly origin: string;
  /** What access tokens are for. */
  readonly resource: string;
  readonly oidcName: string | undefined;
}

type Show = (request: Request, url: URL) => Answer | Promise<Answer>;
type Take = (request: Request, fields: ReadonlyMap<string, string>) => Promise<Answer>;

/** Where RFC 9728 puts the description of a resource. */
export const resourceMetadataPath = (resource: string) => `/.well-known/oauth-protected-resource${new URL(resource).pathname}`;

/** Pages for people and endpoints for programs; undefined for what is none of them. */
export function authRoutes(parts: AuthRoutesParts): (request: Request) => Promise<Response> | undefined {
  const { signIn, origin, resource } = parts;
  const shown = new Map<string, Show>([
    [resourceMetadataPath(resource), () => describeResource(parts)],
    ["/auth/sign-in", (_, url) => showSignIn(parts, askedFor(url))],
    ["/auth/error", (_, url) => showError(url)],
    ["/auth/consent", (request) => showConsent(parts, request)],
    ["/auth/account", (request) => showAccount(parts, request)],
    ["/auth/person", (request) => describePerson(parts, request)],
    ["/auth/accept", (request) => showInvitation(parts, request)],
    ["/auth/reset", (_, url) => showReset(parts, { token: url.searchParams.get("token") ?? "" })],
  ]);
  const taken = new Map<string, Take>([
    ["/auth/sign-in", (request, fields) => takeSignIn(parts, request, fields)],
    ["/auth/oidc", (request, fields) => takeOidc(parts, request, fields)],
    ["/auth/consent", (request, fields) => takeConsent(parts, request, fields)],
    ["/auth/accept", (request, fields) => takeInvitation(parts, request, fields)],
    ["/auth/reset", (request, fields) => takeReset(parts, request, fields)],
    ["/auth/password", (request, fields) => takePassword(parts, request, fields)],
    ["/auth/tenant", (request, fields) => takeTenant(parts, request, fields)],
    ["/auth/sessions", (request) => takeOtherSessions(parts, request)],
    ["/auth/withdraw", (request, fields) => takeWithdrawal(parts, request, fields)],
    ["/auth/sign-out", (request, fields) => takeSignOut(parts, request, fields)],
  ]);
  const { host } = new URL(origin);
  return (request) => {
    const url = new URL(request.url);
    const show = request.method === "GET" ? shown.get(url.pathname) : undefined;
    const take = request.method === "POST" ? taken.get(url.pathname) : undefined;
    if (!show && !take && !isOfPrograms(url.pathname)) return undefined;
    // A name that somebody pointed at this machine is another site to a browser (DNS rebinding).
    if (url.host !== host)
      return refuse(
        403,
        `This server is at ${origin}, and the request was for ${url.host}. A proxy in between has to pass the Host header on.`,
      );
    if (holdsNul(url.search)) return refuse(400, nulWords);
    const visit = { host, scheme: chosenScheme(request) };
    const inLook = async (answer: Answer | Promise<Answer>) => respond(await answer, visit);
    if (show) return inLook(show(request, url));
    if (take) return inLook(readForm(request, origin).then((fields) => (fields instanceof Response ? fields : take(request, fields))));
    if (request.method === "POST") return takeMessage(signIn, request);
    return signIn.handle(request)?.then((answer) => inLook(showRefusedClient(request, answer)));
  };
}

/** The scheme that a person chose in the console, which writes it into this cookie for the pages without script. */
function chosenScheme({ headers }: Pick<Request, "headers">): Scheme | undefined {
  const [, scheme] = /(?:^|;\s*)toolwright-scheme=(light|dark)(?:;|$)/.exec(headers.get("cookie") ?? "") ?? [];
  return scheme as Scheme | undefined;
}

/**
 * The fields of a form that a page of this server sent, or the answer that refuses it. A browser says with every POST where it comes from, so
 * one without that, or from elsewhere, is not ours (R-UI-3).
 */
async function readForm(request: Request, origin: string): Promise<ReadonlyMap<string, string> | Response> {
  if (request.headers.get("origin") !== origin) return refuse(403, "This form was not sent by a page of this server.");
  if (request.headers.get("content-type")?.split(";")[0]?.trim() !== "application/x-www-form-urlencoded")
    return refuse(415, "Send the form as a browser does.");
  const text = await readBody(request);
  if (text === undefined) return refuse(413, "The form is too large.");
  return holdsNul(text) ? refuse(400, nulWords) : new Map(new URLSearchParams(text));
}

/** Reads a message of a program, whose size is not its own to choose (R-MC-9). */
async function takeMessage(signIn: SignIn, request: Request): Promise<Response> {
  const body = await readBody(request);
  const { url, method, headers } = request;
  if (body === undefined) return refuseMessage(413, `The message has more than ${mostBytes} bytes.`);
  if (holdsNul(body) || holdsNul(credentialsIn(headers))) return refuseMessage(400, nulWords);
  return signIn.handle(new Request(url, { method, headers, body })) ?? refuse(404, `There is nothing at ${new URL(url).pathname}.`);
}

/** Id and secret of a program (RFC 6749 section 2.3.1). */
function credentialsIn(headers: Headers): string {
  const [, encoded = ""] = /^basic (.*)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return Buffer.from(encoded, "base64").toString("latin1");
}

function refuseMessage(status: number, words: string): Response {
  return Response.json({ error: "invalid_request", error_description: words }, { status });
}

const isOfPrograms = (path: string) => path.startsWith("/auth/api/") || path.startsWith("/.well-known/oauth-authorization-server");

async function refuse(status: number, words: string): Promise<Response> {
  return new Response(`${words}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  });
}

/** RFC 9728 section 2. Programs ask for all that is named here, so what lets them say yes in somebody's name is not: who wants it asks by its name. */
function describeResource({ resource, signIn }: AuthRoutesParts): Response {
  return Response.json(
    {
      resource,
      authorization_servers: [signIn.issuer],
      scopes_supported: oauthScopes.filter((scope) => scope !== answerScope),
      bearer_methods_supported: ["header"],
      resource_name: "Toolwright",
    },
    { headers: { "access-control-allow-origin": "*", "cache-control": "max-age=300" } },
  );
}
