import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, shows, whyNoBrowser } from "../browser.ts";
import { Console, faultsEverywhere } from "./console.ts";

describe.skipIf(whyNoBrowser)(`the console's list of tools${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start();
  });
  afterEach(async () => expect(await console.browsers.closeAll()).toEqual([]));
  afterAll(() => console?.stop());

  test("every tool with what it does and what happens when it is called", async () => {
    const page = await console.open("/tools");
    await shows(page, "Tools");
    const row = page.getByRole("link", { name: /^file_delete/ });
    expect(await row.textContent()).toMatch(/^file_deleteDelete a file.*fsAsks$/);
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("what is sought is in the URL, and back and reload show the same", async () => {
    const page = await console.open("/tools");
    await page.getByRole("textbox", { name: "Search tools" }).fill("web fetch");
    await page.waitForURL(/q=web\+fetch/);
    await page.getByRole("link", { name: /^web_fetch/ }).click();
    await page.waitForURL(/\/tools\/web_fetch$/);
    await page.goBack();
    await page.reload();
    await page.getByRole("list", { name: /^\d tools$/ }).waitFor();
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
});
