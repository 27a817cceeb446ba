import { globSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../architecture/source-files.ts";
import { browserWords, shows, whyNoBrowser } from "../browser.ts";
import type { Place } from "../run-cli.ts";
import { AppHost } from "./app-host.ts";
import { accessibilityFaults, Console, faultsEverywhere } from "./console.ts";
import { hostileTexts, hostileViewTool } from "./hostile-texts.ts";
import { picturesTool, secretTool } from "./result-tools.ts";

async function prepare(place: Place): Promise<void> {
  await mkdir(place.path("tools"), { recursive: true });
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  await writeFile(place.path("tools/pictures.tool.ts"), picturesTool);
  await writeFile(place.path("tools/hostile_view.tool.ts"), hostileViewTool);
  await writeFile(place.path("tools/hubspot_contact.tool.ts"), secretTool);
  for (const file of ["compare-heating.tool.ts", "heating.ts", "heating-specs.ts"])
    await copyFile(join(root, "examples/specs", file), place.path(`tools/${file}`));
}

/** In words of JavaScript: what the block of the first chart needs where it has just become narrower. */
const widthInNarrowPlace = `(() => {
  const block = document.querySelector(".recharts-wrapper").closest("[role=img]").parentElement;
  block.style.width = "200px";
  const { clientWidth: place, scrollWidth: needed } = block;
  block.style.width = "";
  return { place, needed };
})()`;

describe.skipIf(whyNoBrowser)(`the console's tools${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start({ prepare, env: { TOOLWRIGHT_EMBEDDER: "local" } });
  });
  afterEach(async () => expect(await console.browsers.closeAll()).toEqual([]));
  afterAll(() => console?.stop());

  test("its pages are built for production, whoever builds them", async () => {
    const scripts = globSync("packages/server/console/assets/*.js", { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
    expect(scripts.length).toBeGreaterThan(10);
    expect(scripts.filter((script) => script.includes("react-devtools"))).toEqual([]);
  });

  test("every tool with what it does and what happens when it is called", async () => {
    const page = await console.open("/tools");
    await shows(page, "Tools");
    const row = page.getByRole("link", { name: /^file_delete/ });
    expect(await row.textContent()).toMatch(/^file_deleteDelete a file.*fsCan destroyAsks$/);
    const textOf = (name: RegExp) => page.getByRole("link", { name }).textContent();
    expect(await textOf(/^file_read/)).toMatch(/fsReadsRuns/);
    expect(await faultsEverywhere(page)).toEqual([]);
    const seek = (name: string) => page.getByRole("textbox", { name: "Search tools" }).fill(name);
    await seek("web_fetch");
    expect(await textOf(/^web_fetch/)).toMatch(/ReadsGoes out/);
    await seek("hubspot_contact");
    expect(await textOf(/^hubspot_contact/)).toMatch(/crmChangesGoes outNeeds hubspot_api_key$/);
    await page.getByRole("link", { name: /^hubspot_contact/ }).click();
    await page.getByText("It is misconfigured: set the secret hubspot_api_key.").waitFor();
    await page.getByRole("link", { name: "Set its secrets" }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("a tool that lacks a service is badged in the list, and its page says what to set", async () => {
    const page = await console.open("/tools?q=web_search");
    const row = page.getByRole("link", { name: /^web_search/ });
    expect(await row.textContent()).toMatch(/Goes outMisconfigured$/);
    expect(await page.getByTitle(/^No search provider is set up\. Set one of the secrets/).count()).toBe(1);
    expect(await faultsEverywhere(page)).toEqual([]);
    await row.click();
    await page.getByText("This tool is misconfigured").waitFor();
    await page.getByText(/No search provider is set up\. Set one of the secrets .*tavily_api_key/).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("link", { name: "Set its secrets" }).click();
    await page.waitForURL(/\/admin\/secrets$/);
  });

  test("what is sought is in the URL, and back and reload show the same", async () => {
    const page = await console.open("/tools");
    await page.getByRole("textbox", { name: "Search tools" }).fill("web fetch");
    await page.waitForURL(/q=web\+fetch/);
    await page.getByRole("link", { name: /^web_fetch/ }).click();
    await page.waitForURL(/\/tools\/web_fetch$/);
    await page.goBack();
    await page.reload();
    await page.getByRole("list", { name: /^\d+ tools, \d+ related$/ }).waitFor();
    await page.getByRole("textbox", { name: "Search tools" }).fill("read an article from the internet");
    const list = page.getByRole("list", { name: /^0 tools, \d+ related$/ });
    await list.getByRole("heading", { name: "Related" }).waitFor();
    await expect.poll(() => list.getByRole("link").first().textContent()).toMatch(/^web_fetch/);
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("j");
    await list.getByRole("link").first().and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/tools\/web_fetch$/);
  });

  test("filters narrow the list, and any takes them back", async () => {
    const page = await console.open("/tools");
    const kind = page.getByRole("combobox", { name: "Filter by kind" });
    // Not all of its rows are in the page.
    const count = async () => Number.parseInt((await page.getByRole("list", { name: / tools$/ }).getAttribute("aria-label")) ?? "", 10);
    await page.getByRole("link", { name: /^file_delete/ }).waitFor();
    // What waits to be set up, and is listed for that, comes later.
    const decision = page.getByRole("combobox", { name: "Filter by decision" });
    await decision.getByRole("option", { name: "misconfigured" }).waitFor({ state: "attached" });
    const all = await count();
    await kind.selectOption("reads");
    await page.getByRole("link", { name: /^file_delete/ }).waitFor({ state: "detached" });
    expect(await count()).toBeGreaterThan(2);
    expect(await count()).toBeLessThan(all);
    await kind.selectOption({ label: "Any kind" });
    await page.getByRole("link", { name: /^file_delete/ }).waitFor();
    expect(await count()).toBe(all);
    expect(page.url()).toBe(new URL("/tools", console.origin).href);
  });

  test("of a thousand tools at most a hundred are in the page, and each is found", async () => {
    const page = await console.open("/activity");
    await page.route("**/api/tools?*", async (route) => {
      const response = await route.fetch();
      const [tool] = ((await response.json()) as { items: object[] }).items;
      const items = Array.from({ length: 1_000 }, (_, index) => ({ ...tool, name: `tool_${index}` }));
      await route.fulfill({ response, json: { items } });
    });
    await page.goto(`${console.origin}/tools`);
    const list = page.getByRole("list", { name: "1002 tools" });
    await list.getByRole("link").first().waitFor();
    expect(await list.getByRole("listitem").count()).toBeLessThanOrEqual(100);
    await page.keyboard.press("j");
    await page.keyboard.press("End");
    await page.getByRole("link", { name: /^tool_999/ }).waitFor();
    expect(await list.getByRole("listitem").count()).toBeLessThanOrEqual(100);
    await page.getByRole("textbox", { name: "Search tools" }).fill("tool_77");
    await page.getByRole("list", { name: "11 tools" }).waitFor();
    // The page may just be reading the list anew.
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test("the palette goes by keyboard alone", async () => {
    const page = await console.open("/tools");
    await shows(page, "Tools");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find a page, a tool or a call" }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.keyboard.type("exec");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/tools\/exec$/);
  });

  const run = async (page: Page) => {
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByRole("heading", { name: "Done" }).waitFor();
    return page.getByRole("region", { name: "Result" });
  };

  test("a form spec says what a form shows, in which order, and what it never holds", async () => {
    const page = await console.open("/tools/compare_heating");
    const home = page.getByRole("group", { name: "Your home" });
    await home.getByLabel(/^Area in m²/).waitFor();
    await home.getByText("What is heated, and for how long.").waitFor();
    expect(await page.getByLabel(/^Price rise/).count()).toBe(0);
    const left = async (shown: Locator) => (await shown.boundingBox())?.x;
    expect(await left(home)).toBe(await left(page.getByRole("navigation", { name: "View" })));
    await page.getByRole("button", { name: "More options (1)" }).click();
    await page.getByText("Energy got 3 percent dearer a year, on average.").waitFor();
    await page.getByRole("radiogroup", { name: /^Currency/ }).waitFor();
    expect(await page.content()).not.toMatch(/campaign/i);
    expect(await faultsEverywhere(page)).toEqual([]);
    // A mistake is never out of sight.
    await page.getByLabel(/^Price rise/).fill("90");
    await page.locator("[aria-invalid=true]").waitFor();
    await page.getByRole("button", { name: "Fewer options" }).click();
    await page.getByLabel(/^Price rise/).waitFor();
    await page.goto(`${console.origin}/tools/compare_heating?embed=1`);
    await page.getByLabel(/^Area in m²/).waitFor();
    expect(await page.content()).not.toMatch(/currency|campaign/i);
    expect(await page.getByRole("navigation", { name: "View" }).count()).toBe(0);
  });

  test("a field that no form fills is refused from the page, and the page says so", async () => {
    const page = await console.open("/tools/compare_heating?tab=json");
    await page.getByLabel("Input as JSON").fill('{"campaign":"x"}');
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByText("No form fills campaign of compare_heating. Leave it out.").waitFor();
    const { items } = (await console.api("/runs?tool=compare_heating")) as { readonly items: readonly unknown[] };
    expect(items).toEqual([]);
    expect((await console.browsers.closeAll()).filter((trouble) => !/status of 422/.test(trouble))).toEqual([]);
  });

  test("a view spec says how the result is read, each chart with its numbers as a table", async () => {
    const page = await console.open("/tools/compare_heating");
    const result = await run(page);
    await result.getByText("Heat pump", { exact: true }).first().waitFor();
    const chart = result.getByRole("img", { name: /^Line chart, Cost so far: Gas, Heat pump by Year\./ });
    await chart.locator("path.recharts-curve").nth(1).waitFor();
    // Narrower from one moment to the next, the block is no wider than its place before the chart is drawn anew.
    expect(await page.evaluate(widthInNarrowPlace)).toEqual({ place: 200, needed: 200 });
    await result
      .getByRole("img", { name: /^Radar chart, Beyond money/ })
      .locator(".recharts-radar-polygon")
      .nth(1)
      .waitFor();
    const carbon = result.getByRole("region", { name: "Carbon" });
    expect(await carbon.getByRole("listitem").allTextContents()).toEqual(["Gas 240 g/kWh", "Heat pump 60 g/kWh", "Pellets 30 g/kWh"]);
    const costs = result.getByRole("region", { name: "Cost so far" });
    await costs.getByText("Numbers as a table").click();
    expect(await costs.getByRole("row").nth(1).getByRole("cell").allTextContents()).toEqual(["1", "10920", "21840"]);
    await result.getByText("This page has no renderer named zone-map, so the value is JSON.").waitFor();
    expect(await result.getByRole("button", { name: /^Save heating\.csv/ }).count()).toBe(1);
    expect(await faultsEverywhere(page)).toEqual([]);
    // A link to the run shows the same.
    await page.reload();
    await chart.locator("path.recharts-curve").nth(1).waitFor();
  });

  test("pictures come from the artifacts of a call alone, and no text becomes markup or a formula", async () => {
    const page = await console.open("/tools/pictures");
    const result = await run(page);
    const dot = result.getByRole("img", { name: "A dot" });
    expect(await dot.getAttribute("src")).toMatch(/^blob:/);
    expect(
      await page.evaluate("(async () => { const [image] = document.images; await image.decode(); return image.naturalWidth; })()"),
    ).toBe(1);
    await result.getByText("A drawing: image/svg+xml is not shown as an image.").waitFor();
    await result.getByText("A tracker: the output names no artifact, so no image is shown.").waitFor();
    expect(await result.locator("img").count()).toBe(1);
    await result.getByText("[image: eye, evil.example]").waitFor();
    await result.getByRole("heading", { name: "<img src=x>" }).waitFor();
    await result
      .getByRole("img", { name: /^Bar chart, <img src=x>/ })
      .locator(".recharts-bar-rectangle")
      .nth(1)
      .waitFor();
    const saved = page.waitForEvent("download");
    await result.getByRole("region", { name: "Formulas" }).getByRole("button", { name: "Save as CSV" }).click();
    expect(await readFile(await (await saved).path(), "utf8")).toBe("<b>name\r\n'=1+1\r\n<i>two</i>\r\n");
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("the view of a tool is an MCP App, which shows in a sandbox what the host passes on", async () => {
    const host = await AppHost.connect(console);
    const { frame, tell, heard, page, requests } = await host.show("compare_heating", "dark");
    await frame.getByText("The result is shown when the call ends.").waitFor();
    const input = { area: 120, years: 10 };
    await tell("tool-input", { arguments: input });
    await tell("tool-result", await host.client.callTool({ name: "compare_heating", arguments: input }));
    await frame.getByRole("heading", { name: "Carbon" }).waitFor();
    const carbon = frame.getByRole("region", { name: "Carbon" });
    expect(await carbon.getByRole("listitem").allTextContents()).toEqual(["Gas 240 g/kWh", "Heat pump 60 g/kWh", "Pellets 30 g/kWh"]);
    const costs = frame.getByRole("region", { name: "Cost so far" });
    await costs.getByRole("img", { name: /^Line chart, Cost so far: Gas, Heat pump by Year\./ }).waitFor();
    expect(await costs.locator("path").count()).toBe(2);
    expect(await costs.locator("circle").count()).toBe(20);
    await costs.getByText("Numbers as a table").click();
    expect(await costs.getByRole("row").nth(1).getByRole("cell").first().textContent()).toBe("1");
    await costs.getByRole("button", { name: "Year" }).click();
    await costs.getByRole("button", { name: "Year" }).click();
    expect(await costs.getByRole("row").nth(1).getByRole("cell").first().textContent()).toBe("10");
    expect(await frame.getByRole("region", { name: "Beyond money" }).locator("polygon[fill-opacity]").count()).toBe(2);
    await frame.getByText(/^heating\.csv \(\d+ bytes\)$/).waitFor();
    await frame.getByText("This view has no renderer named zone-map, so the value is JSON.").waitFor();
    const ground = () => frame.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(await ground()).toBe("rgb(19, 19, 21)");
    expect(await accessibilityFaults(frame)).toEqual([]);
    await tell("host-context-changed", { theme: "light" });
    await expect.poll(ground).toBe("rgb(251, 251, 250)");
    expect(await accessibilityFaults(frame)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await frame.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    await page.evaluate(
      `send({ id: "x", method: "ui/resource-teardown", params: {} }), send({ id: "y", method: "tools/call", params: {} })`,
    );
    const refusal = { error: { code: -32601, message: "The view has no method tools/call." } };
    await expect.poll(heard).toEqual(["ui/initialize", "ui/notifications/initialized", { result: {} }, refusal]);
    expect(requests).toHaveLength(2);
    await host.client.close();
  });

  test("an MCP App takes no text for markup, loads nothing, and says how a call failed", async () => {
    const host = await AppHost.connect(console);
    const { frame, tell, requests } = await host.show("hostile_view", "light");
    const call = (fail: boolean) => host.client.callTool({ name: "hostile_view", arguments: { fail } });
    await tell("tool-result", await call(false));
    for (const title of hostileTexts.slice(0, 9).filter((_, index) => ![1, 2, 5, 6].includes(index)))
      await frame.getByRole("heading", { name: title, exact: true }).waitFor();
    const table = frame.getByRole("group", { name: "Table" }).first();
    expect(await table.getByRole("columnheader").allTextContents()).toHaveLength(hostileTexts.length);
    const cells = (await table.getByRole("cell").allTextContents()).filter((text) => text !== "");
    expect(cells).toEqual([...hostileTexts]);
    expect(await frame.locator("script, iframe, object, form, base, meta[http-equiv], link, svg script").count()).toBe(2);
    const image = frame.locator("img");
    expect([await image.getAttribute("alt"), await image.getAttribute("src")]).toEqual([
      hostileTexts[9],
      expect.stringMatching(/^data:image\/png;base64,/),
    ]);
    expect(await accessibilityFaults(frame)).toEqual([]);
    await tell("tool-result", await call(true));
    await frame.getByText(hostileTexts[0] ?? "").waitFor();
    expect(await frame.locator("img, section").count()).toBe(0);
    await tell("tool-cancelled", { reason: "x" });
    await frame.getByText("The call was cancelled.").waitFor();
    for (const odd of [null, {}, { content: "x", structuredContent: { all: { length: 3 }, rows: [null] } }]) await tell("tool-result", odd);
    await frame.getByText("No rows.").or(frame.getByText("Nothing.")).first().waitFor();
    expect(requests).toHaveLength(2);
    await host.client.close();
  });
});
