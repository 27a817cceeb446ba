import { documentPolicy, type Scheme, writeDocument } from "../html/document.ts";
import { html, type Markup } from "../html/html.ts";

/** With "no-referrer" browsers would send every form with the origin "null" (Fetch, the `Origin` header), which `readForm` refuses. */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": documentPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

interface PageOptions {
  readonly status?: number | undefined;
  /** What went wrong. */
  readonly wrong?: string | undefined;
  readonly done?: string | undefined;
  readonly isWide?: boolean;
}

export interface Page extends PageOptions {
  readonly title: string;
  readonly body: Markup;
}

/** What is answered to a person's browser: a page, or where it goes next. */
export type Answer = Page | Response;

/** What every page shows of the visit. */
interface Visit {
  readonly host: string;
  readonly scheme: Scheme | undefined;
}

export function page(title: string, body: Markup, options: PageOptions = {}): Page {
  return { title, body, ...options };
}

export function respond(answer: Answer, visit: Visit): Response {
  if (answer instanceof Response) return answer;
  const { title, body, status = 200, wrong, done, isWide } = answer;
  const said = html`${wrong !== undefined && html`<p class="wrong" role="alert">${wrong}</p>`}
${done !== undefined && html`<p class="done" role="status">${done}</p>`}
${body}`;
  return new Response(writeDocument({ title, body: said, isWide, ...visit }), { status, headers });
}

export function tooManyAttempts(seconds: number | undefined): string {
  const wait = seconds === undefined ? "a minute" : seconds === 1 ? "a second" : `${seconds} seconds`;
  return `Too many attempts from your address. Wait ${wait}, then try again.`;
}

export function redirect(location: string, cookies: readonly string[] = []): Response {
  const answer = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const cookie of cookies) answer.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers: answer });
}

/** The page to sign in on, with the question of a program that waits. */
export function signInPath(oauthQuery = ""): string {
  const query = new URLSearchParams(oauthQuery).toString();
  return query === "" ? "/auth/sign-in" : `/auth/sign-in?${query}`;
}
