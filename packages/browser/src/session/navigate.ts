import { type CallSite, type Failure, fail, ToolwrightError } from "@toolwright/engine";
import type { Page, Response } from "playwright-core";

const openMs = 30_000;
const mostTries = 4;
const opening = { waitUntil: "domcontentloaded", timeout: openMs } as const;

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

/** Opens a judged URL. */
export async function goTo(page: Page, url: string): Promise<Failure | undefined> {
  try {
    await refuseClosed(await tryToOpen(page, url));
    return undefined;
  } catch (error) {
    await leave(page);
    if (ToolwrightError.is(error)) throw error;
    return explain(url, error as Error);
  }
}

/** A page that failed before may still be on its way to say so. */
async function tryToOpen(page: Page, url: string, left = mostTries): Promise<Response | null> {
  try {
    return await page.goto(url, opening);
  } catch (error) {
    if (left > 1 && (error as Error).message.includes("interrupted by another navigation")) return tryToOpen(page, url, left - 1);
    throw error;
  }
}

async function leave(page: Page): Promise<void> {
  await page.goto("about:blank", { timeout: 5_000 }).catch(() => undefined);
}

/** The gateway says why it did not reach a host (RFC 9209); a redirect leads there, too. */
async function refuseClosed(response: Response | null): Promise<void> {
  if (!response?.headers()["proxy-status"]?.startsWith("toolwright")) return;
  throw new ToolwrightError("url_refused", (await response.text().catch(() => "")).slice(0, 500) || `${response.url()} is not reached.`);
}

function explain(url: string, { message, name }: Error): Failure | undefined {
  // What is downloaded instead is told with the downloads.
  if (message.includes("Download is starting")) return undefined;
  const code = /net::(ERR_\w+)/.exec(message)?.[1];
  if (code === "ERR_TUNNEL_CONNECTION_FAILED")
    throw new ToolwrightError(
      "url_refused",
      `${url} was not reached: the policy's network rules do not permit its host, or it does not answer.`,
    );
  if (name === "TimeoutError")
    return fail("page_failed", `${url} did not open within ${openMs / 1000} seconds. Try it again, or open another page.`);
  return fail("page_failed", `${url} could not be opened${code === undefined ? "" : ` (${code})`}. Check the URL, or open another page.`);
}

/** Leaves a page that went where none may be, such as a file. */
export async function checkLocation(page: Page): Promise<void> {
  const url = page.url();
  const protocol = URL.parse(url)?.protocol;
  if (protocol === "http:" || protocol === "https:" || url === "about:blank") return;
  await leave(page);
  const reason =
    protocol === "chrome-error:"
      ? "The page went to an address that could not be reached, or that the policy does not permit."
      : `The page went to ${JSON.stringify(url.slice(0, 200))}, which is no page of the web, so it was left.`;
  throw new ToolwrightError("browser_refused", `${reason} Open a page again.`);
}
