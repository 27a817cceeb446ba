import { type CallSite, type Failure, fail, ToolwrightError } from "@toolwright/engine";
import type { Page, Response } from "playwright-core";

const openMs = 30_000;
/** Milliseconds in which a page that has come is to be there as a whole. */
const loadMs = 15_000;

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

/** `part`: the page goes on loading. `file`: the URL is a download. `interrupted`: the page went elsewhere by itself meanwhile. */
export type Opened = "page" | "part" | "file" | "interrupted" | Failure;

/** Opens a judged URL. Throws `url_refused` for what the gateway does not reach. */
export async function goTo(page: Page, url: string): Promise<Opened> {
  try {
    await refuseClosed(await page.goto(url, { waitUntil: "commit", timeout: openMs }));
    return await page.waitForLoadState("domcontentloaded", { timeout: loadMs }).then(
      () => "page" as const,
      () => "part" as const,
    );
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
      `${url} was not reached: the policy's network rules do not permit its host, or it does not answer.`,
    );
  if (name === "TimeoutError")
    return fail("page_failed", `${url} did not open within ${openMs / 1000} seconds. Try it again, or open another page.`);
  return fail("page_failed", `${url} could not be opened${code === undefined ? "" : ` (${code})`}. Check the URL, or open another page.`);
}

/** Why a page that went where none may be, such as a file, is left; undefined for one of the web. */
export function refuseLocation(url: string): string | undefined {
  const protocol = URL.parse(url)?.protocol;
  if (protocol === "http:" || protocol === "https:" || url === "about:blank") return undefined;
  return protocol === "chrome-error:"
    ? "The page went to an address that could not be reached, or that the policy does not permit."
    : `The page went to ${JSON.stringify(url.slice(0, 200))}, which is no page of the web, so it was left.`;
}
