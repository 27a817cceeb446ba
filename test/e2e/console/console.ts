import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { Browsers, type VisitOptions } from "../browser.ts";
import { Place } from "../run-cli.ts";
import { type Served, startServer } from "../served.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface ConsoleOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly serve?: readonly string[];
  /** Before the server starts. */
  readonly prepare?: (place: Place) => Promise<void>;
}

/** A real server with its console, and a real browser, for the tests of one file. */
export class Console {
  readonly place: Place;
  readonly browsers: Browsers;
  served: Served;
  readonly #options: ConsoleOptions;

  private constructor(place: Place, browsers: Browsers, served: Served, options: ConsoleOptions) {
    this.place = place;
    this.browsers = browsers;
    this.served = served;
    this.#options = options;
  }

  static async start(options: ConsoleOptions = {}): Promise<Console> {
    const place = await Place.make();
    try {
      await options.prepare?.(place);
      const [browsers, served] = await Promise.all([Browsers.launch(), start(place, options)]);
      return new Console(place, browsers, served, options);
    } catch (error) {
      await place.remove();
      throw error;
    }
  }

  get origin(): string {
    return new URL(this.served.mcp).origin;
  }

  /** A page of a browser of its own. */
  async open(path: string, options: VisitOptions = {}): Promise<Page> {
    const page = await this.browsers.open([this.origin], { viewport: { width: 1280, height: 800 }, ...options });
    await page.goto(new URL(path, this.origin).href);
    return page;
  }

  /** Again on the same port, after the one before was killed. */
  async restart(env: NodeJS.ProcessEnv = {}): Promise<void> {
    const { port } = new URL(this.served.mcp);
    this.served = await start(this.place, { ...this.#options, env: { ...this.#options.env, ...env } }, port);
  }

  /** What an operation or a call answers over REST, as a program gets it. */
  async api(path: string, body?: unknown, session?: string): Promise<unknown> {
    const headers = { "content-type": "application/json", ...(session !== undefined && { "toolwright-session": session }) };
    const response = await fetch(
      `${this.origin}/api${path}`,
      body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) },
    );
    return response.json();
  }

  async stop(): Promise<void> {
    await this.browsers.close();
    await this.place.remove();
  }
}

function start(place: Place, { env = {}, serve = [] }: ConsoleOptions, port = "0"): Promise<Served> {
  return startServer(place, [...serve, ...(port === "0" ? [] : ["--port", port])], { TOOLWRIGHT_CONSOLE: "on", ...env });
}

type AxeViolations = readonly {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}[];

/** What axe holds against the page as it is shown now (WCAG 2.2 AA and best practices), a line each. */
export async function accessibilityFaults(page: Pick<Page, "evaluate">): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  // What passed is thousands of lines, which take longer to write and send than to find.
  const violations = (await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
      .then(({ violations }) => violations)`,
  )) as AxeViolations;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Wide and narrow, light and dark: colours do not change with the size, nor the layout with the scheme. */
const looks = [
  { width: 1440, height: 900, colorScheme: "light" },
  { width: 390, height: 844, colorScheme: "dark" },
] as const;

/** What axe holds against the page in each look, and whether it fits. */
export async function faultsEverywhere(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const { colorScheme, ...size } of looks) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const name = `${size.width} ${colorScheme}`;
    const overflow = (await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")) as number;
    if (overflow > 0) found.push(`${name}: ${overflow} px too wide`);
    found.push(...(await accessibilityFaults(page)).map((fault) => `${name}: ${fault}`));
  }
  // As it was, for what is done on the page after.
  await page.setViewportSize({ width: 1280, height: 800 });
  return found;
}

/** In words of JavaScript: the types of pages are none of this project's. */
const standsStill = `new Promise((resolve) => {
  let last;
  let since = performance.now();
  const look = () => {
    const places = [...document.querySelectorAll("[data-approval], [data-acts], main section")].map((part) => part.getBoundingClientRect().top).join();
    if (places !== last) since = performance.now();
    last = places;
    if (performance.now() - since > 700) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

/** In words of JavaScript: what was shown by now has been drawn, and looked at by those who look at each frame. */
export const nextFrame = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))";

/** Waits until no card has moved for longer than a press on it has to wait. */
export async function settle(page: Page): Promise<void> {
  await expect.poll(() => page.locator("[data-approval]").getByRole("status", { name: "Loading" }).count(), { timeout: 10_000 }).toBe(0);
  await page.evaluate(standsStill);
}

/** Presses the key until what has this name has the focus. */
export async function focusByKey(page: Page, words: RegExp, key = "Tab"): Promise<void> {
  for (let press = 0; press < 60; press++) {
    await page.keyboard.press(key);
    const name = (await page.evaluate(
      "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim() || document.activeElement.getAttribute('aria-label') || ''",
    )) as string;
    if (words.test(name)) return;
  }
  throw new Error(`Nothing called ${words} takes the focus.`);
}
