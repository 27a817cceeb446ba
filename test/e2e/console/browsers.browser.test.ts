import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyNoBrowser as whyNoPage } from "../../integration/browser/open-browser-place.ts";
import { whyNoBrowser } from "../browser.ts";
import { Console, faultsEverywhere } from "./console.ts";

const why = whyNoBrowser ?? whyNoPage;
const site = createServer((_, response) => {
  response.setHeader("content-type", "text/html");
  response.end("<title>&lt;b&gt;Prices&#x202E;</title><h1>Prices</h1>");
});

describe.skipIf(why)(`browsers of agents in the console${why === undefined ? "" : ` (left out: ${why})`}`, () => {
  let console: Console;
  let origin = "";
  beforeAll(async () => {
    await once(site.listen(0, "127.0.0.1"), "listening");
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    origin = `http://${host}`;
    const policy = { version: 1, autonomy: "full", network: { allow: [host], allow_ranges: ["127.0.0.1/32"] } };
    console = await Console.start({
      prepare: async (place) => {
        const folder = place.path("home", ".config", "toolwright");
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, "policy.yaml"), JSON.stringify(policy));
      },
    });
  });
  afterAll(async () => {
    await console?.stop();
    site.close();
  });

  test("a page that an agent opened appears, is watched while somebody looks, and is closed", async () => {
    const page = await console.open("/admin/browsers");
    await page.getByRole("heading", { name: "No browsers" }).waitFor();
    await console.api("/tools/browser_open/call", { url: `${origin}/` });
    await page.getByRole("row", { name: /<b>Prices<U\+202E>.*127\.0\.0\.1/ }).waitFor();
    await page.getByRole("button", { name: "Watch <b>Prices<U+202E>" }).click();
    const live = page.getByRole("img", { name: "What <b>Prices<U+202E> looks like now" });
    await live.waitFor();
    expect(await page.evaluate("document.querySelector('main img').naturalWidth")).toBeGreaterThan(100);
    await page.waitForResponse(/\/frame$/);
    expect(await faultsEverywhere(page)).toEqual([]);
    const close = page.getByRole("button", { name: "Close <b>Prices<U+202E>" });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const button of [page.getByRole("button", { name: "Watch <b>Prices<U+202E>" }), close]) {
      const { x, width } = (await button.boundingBox()) ?? { x: 0, width: 390 };
      expect(x + width).toBeLessThan(390);
    }
    await close.click();
    await page.getByRole("button", { name: "Close browser" }).click();
    await page.getByRole("heading", { name: "No browsers" }).waitFor();
    await live.waitFor({ state: "detached" });
    expect(await console.api("/browsers")).toEqual({ items: [] });
    expect(await console.browsers.closeAll()).toEqual([]);
  });
});
