import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, shows, whyNoBrowser } from "../browser.ts";
import type { Place } from "../run-cli.ts";
import { Console, faultsEverywhere } from "./console.ts";
import { hostileMarkdown, hostileTexts, hostileTool } from "./hostile-texts.ts";

async function prepare(place: Place): Promise<void> {
  for (const folder of ["workspace", "tools"]) await mkdir(place.path(folder), { recursive: true });
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  await writeFile(place.path("tools/hostile.tool.ts"), hostileTool);
  await writeFile(place.path("policy.yaml"), "version: 1\nautonomy: full\ntools: { deny: [file_delete] }\n");
}

describe.skipIf(whyNoBrowser)(`what happened, in the console${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start({ prepare, serve: ["--policy", "policy.yaml"] });
    await console.api("/tools/file_list/call", {});
    await console.api("/tools/file_read/call", { path: "missing.txt" });
  });
  afterEach(async () => expect(await console.browsers.closeAll()).toEqual([]));
  afterAll(() => console?.stop());

  test("the start says what to try and how to connect", async () => {
    const page = await console.open("/");
    await shows(page, "Toolwright");
    await page.getByText(`${console.origin}/mcp`).first().waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("link", { name: /List the files/ }).click();
    await page.waitForURL(/\/tools\/file_list$/);
  });

  test("calls are there with how they ended, filters are in the URL, and a new one is told and does not push", async () => {
    const page = await console.open("/activity");
    await page.getByRole("link", { name: /^Done.*file_list/ }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByLabel("Outcome").selectOption("Failed");
    await page.waitForURL(/status=error/);
    await page.getByRole("link", { name: /file_read/ }).waitFor();
    expect(await page.getByRole("link", { name: /file_list/ }).count()).toBe(0);
    await page.reload();
    expect(await page.getByLabel("Outcome").inputValue()).toBe("error");
    await page.getByRole("link", { name: /file_read/ }).waitFor();
    await console.api("/tools/file_read/call", { path: "missing-too.txt" });
    await page.getByRole("button", { name: "1 new" }).click();
    await expect.poll(() => page.getByRole("link", { name: /file_read/ }).count()).toBe(2);
  });

  test("the log is verified in place", async () => {
    const page = await console.open("/activity");
    await page.getByRole("button", { name: "Verify the log" }).click();
    await page.getByText(/^The log is whole: \d+ events in \d+ sessions\./).waitFor();
  });

  test("a call tells its story, from its input to its last event", async () => {
    const page = await console.open("/activity?tool=file_read");
    await page
      .getByRole("link", { name: /file_read/ })
      .last()
      .click();
    await shows(page, "file_read");
    for (const words of ["missing.txt", "What happened", /^Started, allowed by/, /^Failed/]) await page.getByText(words).first().waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("usage sums up by tool", async () => {
    const page = await console.open("/usage");
    await page.getByRole("cell", { name: "file_list" }).waitFor();
    await page.getByLabel("By", { exact: true }).selectOption("By day");
    await page.waitForURL(/by=day/);
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("what tools and callers wrote is text, whatever it says (R-UI-1)", async () => {
    const page = await console.open("/tools");
    await page.getByRole("link", { name: /^hostile/ }).click();
    await shows(page, hostileTexts[0] ?? "");
    await page.getByRole("radiogroup", { name: "Fail" }).getByText("No").click();
    await page.getByRole("button", { name: /^Run/ }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("Done").waitFor();
    await result.getByText("[image: leak, evil.example]").first().waitFor();
    const shown = await result.textContent();
    for (const text of hostileTexts) expect(shown).toContain(text);
    for (const [, words] of hostileMarkdown) expect(shown).toContain(words);
    const found = await page.evaluate(
      `[...document.querySelectorAll("main img, main script, main iframe, main object, main form, main base, main style, main link, main a[href^='javascript' i], main a[href^='data' i], main a[href^='//']")].map((element) => element.outerHTML)`,
    );
    expect(found).toEqual([]);
    await page.getByRole("radiogroup", { name: "Fail" }).getByText("Yes").click();
    await page.getByRole("button", { name: /^Run/ }).click();
    await result.getByText("Failed").waitFor();
    expect(await result.locator("img, script, iframe").count()).toBe(0);
    await page.goto(
      `${console.origin}/activity?tool=${encodeURIComponent(hostileTexts[3] ?? "")}&agent=${encodeURIComponent(hostileTexts[4] ?? "")}`,
    );
    await page.getByText("No calls").waitFor();
  });

  test("a call that there is not says so", async () => {
    const page = await console.open("/calls/call_nothing");
    await page.getByText(/There is no run "call_nothing"/).waitFor();
    expect((await console.browsers.closeAll()).filter((trouble) => !trouble.includes("404"))).toEqual([]);
  });
});
