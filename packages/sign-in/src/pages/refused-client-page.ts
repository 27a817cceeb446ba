import { html } from "../html/html.ts";
import { type Answer, page } from "./page.ts";

const authorizePath = "/auth/api/oauth2/authorize";
const longestReason = 400;
const aboutClient = new Set(["invalid_client", "invalid_client_metadata", "invalid_redirect_uri", "temporarily_unavailable"]);

/** What went wrong with the client that sent a person here, as a page for that person; every other answer as it is. */
export async function showRefusedClient(request: Request, answer: Response): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url);
  const isOfPage = request.method === "GET" && pathname === authorizePath && answer.status >= 400 && answer.status < 500;
  if (!isOfPage || !isJson(answer) || !readsPages(request)) return answer;
  const said = (await answer
    .clone()
    .json()
    .catch(() => undefined)) as { error?: unknown; error_description?: unknown } | undefined;
  if (!aboutClient.has(String(said?.error))) return answer;
  const reason = typeof said?.error_description === "string" ? said.error_description.slice(0, longestReason) : undefined;
  const client = searchParams.get("client_id") ?? "";
  return page("This program cannot sign in", whatToDo(client.startsWith("https://")), { status: answer.status, wrong: reason });
}

function whatToDo(isDescribed: boolean) {
  if (!isDescribed) return html`<p>Go back to the program and connect it again, so that it registers anew.</p>`;
  return html`<p>The program names an address at which it describes itself, and this server could not use that description. You did nothing wrong.</p>
<ul>
<li>Go back to the program and connect again: the address may have been out of reach for a moment.</li>
<li>Whoever runs the program: the address must be public and answer within five seconds with status 200, without a redirect, as JSON of at most 5 KiB.</li>
<li>Whoever runs this server: the log names the cause. A server that reaches no public address sets TOOLWRIGHT_CLIENT_DOCUMENTS=off; programs then register themselves.</li>
</ul>`;
}

const isJson = (answer: Response) => /^application\/json\b/i.test(answer.headers.get("content-type") ?? "");

/** False for a program that asks for JSON. */
function readsPages({ headers }: Request): boolean {
  const accepted = headers.get("accept") ?? "*/*";
  return /text\/html|\*\/\*/i.test(accepted);
}
