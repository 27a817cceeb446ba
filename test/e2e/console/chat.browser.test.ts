import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, whyNoBrowser } from "../browser.ts";
import { Console, faultsEverywhere, settle } from "./console.ts";

const asks = 'call exec {"command":"git push"}';

interface Turn {
  readonly id: string;
  readonly state: string;
}

describe.skipIf(whyNoBrowser)(`talking with an agent in the console${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start();
  });
  afterEach(async () => {
    expect(await console.browsers.closeAll()).toEqual([]);
  });
  afterAll(() => console?.stop());

  const field = (page: Page) => page.getByRole("textbox", { name: "Message to assistant" });
  const say = async (page: Page, text: string) => {
    await field(page).fill(text);
    await field(page).press("Enter");
  };
  const card = (page: Page) => page.locator("[data-approval]");
  const calls = (page: Page) => page.getByRole("article", { name: "Call of exec" });
  const turns = async () => ((await console.api("/turns")) as { readonly items: readonly Turn[] }).items;

  test("a call asks on its card, is answered there, and the page and another tab go on where they were", async () => {
    const page = await console.open("/chat");
    await page.getByText("the demo model, which is no AI").waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Message to assistant");
    // Shift+Enter begins a line, Enter sends, Escape leaves the field.
    await field(page).pressSequentially(asks);
    await field(page).press("Shift+Enter");
    expect(await field(page).inputValue()).toBe(`${asks}\n`);
    await field(page).press("Escape");
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    await field(page).press("Enter");
    await card(page).getByRole("heading", { name: "Run “git push”?" }).waitFor();
    await page.getByText("assistant waits for a person to answer").waitFor();
    const address = page.url();
    expect(new URL(address).searchParams.get("conversation")).toMatch(/^ses_/);
    await page
      .getByRole("navigation", { name: "Conversations" })
      .getByRole("link", { name: /call exec/ })
      .first()
      .waitFor();

    // In the middle: a message waits, the page is opened anew, and another tab looks on.
    await say(page, "And then?");
    await page.getByText("waits for the next step", { exact: true }).waitFor();
    await page.reload();
    await card(page).waitFor();
    await page.getByText("waits for the next step", { exact: true }).waitFor();
    const other = await console.open(new URL(address).pathname + new URL(address).search);
    await card(other).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await settle(page);
    await card(page).getByRole("button", { name: "Approve once" }).click();

    for (const each of [page, other]) {
      await each.getByText("[demo model, no AI] You wrote: And then?").waitFor();
      await calls(each).getByRole("link", { name: "The story of this call" }).waitFor();
      await calls(each)
        .getByText(/approved it at .* by form/)
        .waitFor();
      await each.getByText("demo/demo · 0 tokens read, 0 written").waitFor();
      expect(await each.getByRole("button", { name: "Stop" }).count()).toBe(0);
    }
    expect((await turns())[0]?.state).toBe("done");
    await calls(page).getByRole("button", { name: "Why: exec" }).click();
    await page.getByRole("dialog").getByText("commands").first().waitFor();
  });

  test("a turn is stopped, what went wrong is said, and what was typed stays", async () => {
    const page = await console.open("/chat?conversation=ses_nobody");
    await page.getByText(/There is no session "ses_nobody"/).waitFor();
    await page.getByRole("link", { name: "New conversation" }).click();
    await say(page, asks);
    await card(page).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(/^Stopped: A person stopped it\./).waitFor();
    await calls(page).getByText("Cancelled").first().waitFor();
    await expect.poll(async () => (await turns()).map(({ state }) => state)).toContain("cancelled");
    await page.route("**/api/agents/*/turns", (route) => route.abort("connectionrefused"));
    await say(page, "Hello");
    await page.getByText("The server does not answer. What you typed is kept").waitFor();
    expect(await field(page).inputValue()).toBe("Hello");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await field(page).press("Enter");
    await page.getByText("[demo model, no AI] You wrote: Hello").waitFor();
    expect(await field(page).inputValue()).toBe("");
    expect((await console.browsers.closeAll()).filter((trouble) => !/404|net::ERR_/.test(trouble))).toEqual([]);
  });
});
