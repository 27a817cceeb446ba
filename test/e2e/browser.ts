import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/** Of the Chromium of this machine; undefined when there is none. */
export const executablePath = findOnPath();

/** Why no page can be opened here, or undefined. */
export const whyNoBrowser =
  executablePath === undefined ? "there is no Chromium that starts; `node scripts/setup.mjs --test` says how to get one" : undefined;
/** For the names of tests. */
export const browserWords = whyNoBrowser === undefined ? "" : ` (left out: ${whyNoBrowser})`;

function findOnPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path) && spawnSync(path, ["--version"]).status === 0);
}

export interface VisitOptions extends BrowserContextOptions {
  /** A page that nobody used before, and nobody uses after: for what cannot be undone, such as its clock, or needs a cache with nothing in it. */
  readonly isolated?: boolean;
}

interface Visit {
  readonly page: Page;
  readonly origins: readonly string[];
  readonly options: VisitOptions;
  readonly troubles: readonly string[];
}

/** Files that share a process share it: to start one takes as long as most tests. It ends with the process. */
let chromiumHere: Promise<Browser> | undefined;

/**
 * Without Chromium's own sandbox, which root cannot have: it sees no pages but those of the tests, and finds no other host. It draws in its own
 * process, which no test looks at.
 */
function launchChromium(): Promise<Browser> {
  const args = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", "--in-process-gpu", "--disable-gpu"];
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args, chromiumSandbox: false });
}

/** Pages of a headless Chromium for the tests of one file. */
export class Browsers {
  readonly #browser: Browser;
  readonly #visits: Visit[] = [];
  /** Pages that were left as good as new: a new one costs as much as all that most tests do with it. */
  readonly #left: Visit[] = [];

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(): Promise<Browsers> {
    if (!(await chromiumHere)?.isConnected()) chromiumHere = launchChromium();
    return new Browsers((await chromiumHere) as Browser);
  }

  /** A browser of one person, with cookies of its own. `origins`: where its pages may lead and load from. */
  async open(origins: readonly string[], options: VisitOptions = {}): Promise<Page> {
    const page = this.#takeLeft(origins, options) ?? (await this.#newPage(options));
    this.#visits.push({ page, origins, options, troubles: collectTroubles(page, origins) });
    return page;
  }

  /** Closes what is open. Resolves with what went wrong in those pages, and what they loaded from elsewhere. */
  async closeAll(): Promise<string[]> {
    const visits = this.#visits.splice(0);
    const troubles = visits.flatMap((visit) => visit.troubles);
    await Promise.all(visits.map((visit) => this.#leave(visit)));
    return troubles;
  }

  async #newPage({ isolated: _, ...options }: VisitOptions): Promise<Page> {
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(20_000);
    return context.newPage();
  }

  #takeLeft([origin]: readonly string[], options: VisitOptions): Page | undefined {
    const index = this.#left.findIndex((left) => left.origins[0] === origin && isDeepStrictEqual(left.options, options));
    return index < 0 ? undefined : this.#left.splice(index, 1)[0]?.page;
  }

  async #leave(visit: Visit): Promise<void> {
    const { page, origins, options } = visit;
    const context = page.context();
    const canStay = !options.isolated && context.pages().length === 1 && new URL(page.url()).origin === origins[0];
    if (!canStay) return context.close();
    page.removeAllListeners();
    await context.setOffline(false);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    // To leave the origin ends its process, and a new one costs as much as a page. Of a page without a picture Chromium asks for one, and writes down
    // in the test after this one that there is none.
    const resting = new URL("/healthz", origins[0]).href;
    await page.route(resting, (route) => route.fulfill({ contentType: "text/html", body: '<link rel="icon" href="data:,">' }));
    await page.goto(resting);
    await page.unrouteAll();
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    await page.mouse.move(-1, -1);
    await page.emulateMedia({ colorScheme: options.colorScheme ?? "light", reducedMotion: options.reducedMotion ?? "no-preference" });
    if (options.viewport) await page.setViewportSize(options.viewport);
    await context.clearCookies();
    this.#left.push(visit);
  }

  /** Ends Chromium, for a program that goes on without it. */
  static async end(): Promise<void> {
    await (await chromiumHere)?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#visits, ...this.#left].map(({ page }) => page.context().close()));
  }
}

function collectTroubles(page: Page, origins: readonly string[]): string[] {
  const troubles: string[] = [];
  const visited = new Set<string>();
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // Chromium says so of a page with that status, too, which a person reads.
    const isOfPage = visited.has(message.location().url) && /responded with a status of 4\d\d/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isOfPage)
      troubles.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on("requestfailed", (request) => {
    // What a page began and left, by going elsewhere.
    const why = request.failure()?.errorText;
    if (why !== "net::ERR_ABORTED") troubles.push(`failed: ${request.url()} ${why}`);
  });
  page.on("request", (request) => {
    if (request.isNavigationRequest()) visited.add(request.url());
    if (!origins.includes(new URL(request.url()).origin)) troubles.push(`asked elsewhere: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) troubles.push(`${response.status()}: ${response.url()}`);
  });
  return troubles;
}

/** Waits for the page with this title. */
export function shows(page: Page, title: string): Promise<void> {
  return page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
}

/** What has the focus, and whether one sees that. In words of JavaScript: the types of pages are none of this project's. */
export function focused(page: Page): Promise<{ readonly name: string; readonly isVisible: boolean }> {
  return page.evaluate(`(() => {
    const { activeElement: active } = document;
    const { outlineStyle, outlineWidth } = getComputedStyle(active);
    const label = active.labels?.[0]?.firstChild.textContent;
    return { name: (label ?? active.textContent).trim(), isVisible: outlineStyle !== "none" && parseFloat(outlineWidth) >= 1 };
  })()`);
}
