import { type CallSite, type Failure, fail, ToolwrightError } from "@toolwright/engine";
import type { Page, Response } from "playwright-core";

const openMs = 30_000;

/** Judges a URL by its text before anything of it is asked; the gateway judges each connection again. Throws `browser_refused` or `url_refused`. */
export function judgePage(url: string, { judge }: Pick<CallSite, "judge">): void {
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== "http:" && protocol !== "https:")
    throw new ToolwrightError(
      "browser_refused",
      `${JSON.stringify(url.slice(0, 200))} is no page of the web. The browser opens http and https URLs only.`,
    );
  const decision = judge({ kind: "request", url, method: "GET" });
  if (decision.effect !== "allow") throw new ToolwrightError("url_refused", decision.reason);
}

/** `file`: the URL is a download. `interrupted`: the page went elsewhere by itself meanwhile. */
export type Opened = "page" | "file" | "interrupted" | Failure;

/**
 * Begins a judged URL, whose page has come but need not be whole then. Throws `url_refused` for what the gateway does not reach.
 * @param news - hears what a caller does not see of the page.
 */
export async function goTo(page: Page, url: string, news: string[]): Promise<Opened> {
  try {
    const response = await page.goto(url, { waitUntil: "commit", timeout: openMs });
    await refuseClosed(response);
    news.push(...remarksOn(response));
    return "page";
  } catch (error) {
    if (ToolwrightError.is(error)) throw error;
    return explain(url, error as Error);
  }
}

/** The gateway says why it did not reach a host (RFC 9209); a redirect leads there, too. */
async function refuseClosed(response: Response | null): Promise<void> {
  if (!response?.headers()["proxy-status"]?.startsWith("toolwright")) return;
  throw new ToolwrightError("url_refused", (await response.text().catch(() => "")).slice(0, 500) || `${response.url()} is not reached.`);
}

function explain(url: string, error: Error): Opened {
  const { message, name } = error;
  // What is downloaded instead is told with the downloads.
  if (message.includes("Download is starting")) return "file";
  if (message.includes("interrupted by another navigation")) return "interrupted";
  const code = /net::(ERR_\w+)/.exec(message)?.[1];
  if (code === "ERR_TUNNEL_CONNECTION_FAILED")
    throw new ToolwrightError(
      "url_refused",
      `${url} was not reached: its host name has no address, or one that the policy's network rules do not permit, or nothing answers there. Check the URL.`,
    );
  if (name === "TimeoutError")
    return fail("page_failed", `${url} did not open within ${openMs / 1000} seconds. Try it again, or open another page.`);
  const why = code?.startsWith("ERR_CERT_") ? "its certificate is not valid" : failures.get(code);
  return fail("page_failed", `${url} could not be opened${tell(why, code)}. Check the URL, or open another page.`);
}

const failures = new Map<string | undefined, string>([
  ["ERR_ABORTED", "the server sent no page"],
  ["ERR_INVALID_AUTH_CREDENTIALS", "it asks for a user name and a password by HTTP, which nothing here gives"],
  ["ERR_TOO_MANY_REDIRECTS", "it redirects without an end"],
  ["ERR_INVALID_REDIRECT", "it redirects to what is no URL"],
  ["ERR_UNSAFE_REDIRECT", "it redirects to what is no page of the web"],
]);

function tell(why: string | undefined, code: string | undefined): string {
  return `${why === undefined ? "" : `: ${why}`}${code === undefined ? "" : ` (${code})`}`;
}

/** Notes stand outside the boundary of what a page says: they hold nothing of it but the plain words of its types. */
const plainType = /^[\w.+-]{1,40}\/[\w.+-]{1,80}$/;
const readable = /^(?:text\/|application\/(?:xhtml\+xml|xml|json|javascript)|$)/i;

/** What a page itself does not show: that it is an answer to an error, or no text. */
function remarksOn(response: Response | null): readonly string[] {
  const status = response?.status() ?? 200;
  const [type = ""] = (response?.headers()["content-type"] ?? "").split(";");
  return [
    ...(status >= 400 ? [`The server answered with the HTTP status ${status}.`] : []),
    ...(readable.test(type)
      ? []
      : [`It is no page, but a file${plainType.test(type) ? ` of the type ${type}` : ""}: browser_screenshot may show it.`]),
  ];
}

/** Why a page that went where none may be, such as a file, is left; undefined for one of the web. */
export function refuseLocation(url: string): string | undefined {
  const protocol = URL.parse(url)?.protocol;
  if (protocol === "http:" || protocol === "https:" || url === "about:blank") return undefined;
  return protocol === "chrome-error:"
    ? "The page went to an address that could not be reached, or that the policy does not permit."
    : `The page went to a URL of the scheme ${JSON.stringify(protocol?.slice(0, 20))}, which is no page of the web, so it was left.`;
}
