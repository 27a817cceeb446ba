import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, whyNoBrowser } from "../browser.ts";
import { killServer } from "../served.ts";
import { Console, faultsEverywhere, focusByKey, settle } from "./console.ts";

const asks = 'call exec {"command":"git push"}';
const looks = 'call file_list {"path":"."}';
const three = [looks, asks, looks].join("\n");

/** In words of JavaScript: files as a person drops or pastes them. */
const given = (event: string, kind: string, files: string) => `(() => {
  const data = new DataTransfer();
  for (const file of ${files}) data.items.add(file);
  document.activeElement.dispatchEvent(new ${event}("${kind}", { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data }));
})()`;

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
    await field(page).fill(three);
    await field(page).press("Shift+Enter");
    expect(await field(page).inputValue()).toBe(`${three}\n`);
    expect(await faultsEverywhere(page)).toEqual([]);
    await field(page).press("Escape");
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    await field(page).press("Enter");
    await card(page).getByRole("heading", { name: "Run “git push”?" }).waitFor();
    await page.getByText("assistant waits for a person to answer").waitFor();
    const address = page.url();
    expect(new URL(address).searchParams.get("conversation")).toMatch(/^ses_/);
    await page
      .getByRole("navigation", { name: "Conversations" })
      .getByRole("link", { name: /call file_list/ })
      .first()
      .waitFor();

    // In the middle: a message waits, the page is opened anew, and another tab looks on.
    await say(page, "And then?");
    await page.getByText("waits for the next step", { exact: true }).waitFor();
    await page.reload();
    await card(page).waitFor();
    // The server dies, and another one goes on.
    await page.goto("about:blank");
    await killServer(console.served);
    await console.restart();
    await page.goto(address);
    await card(page).waitFor();
    await page.getByText("waits for the next step", { exact: true }).waitFor();
    const other = await console.open(new URL(address).pathname + new URL(address).search);
    await card(other).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await settle(page);
    await card(page).getByRole("button", { name: "Approve once" }).press("Enter");

    for (const each of [page, other]) {
      await each.getByText("[demo model, no AI] You wrote: And then?").waitFor();
      await calls(each).getByRole("link", { name: "The story of this call" }).waitFor();
      await calls(each)
        .getByText(/approved it at .* by form/)
        .waitFor();
      const looked = each.getByRole("article", { name: "Call of file_list" }).getByRole("link", { name: "The story of this call" });
      await expect.poll(() => looked.count()).toBe(2);
      await each.getByText("demo/demo · 0 tokens read, 0 written").waitFor();
      await each.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    }
    expect((await turns())[0]?.state).toBe("done");
    await calls(page).getByRole("button", { name: "Why: exec" }).press("Enter");
    await page.getByRole("dialog").getByText("commands").first().waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  test("a turn is stopped, what went wrong is said, and what was typed and attached stays", async () => {
    const page = await console.open("/chat?conversation=ses_nobody");
    await page.getByText(/There is no session "ses_nobody"/).waitFor();
    await page.getByRole("link", { name: "New conversation" }).click();
    await say(page, asks);
    await card(page).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(/^Stopped: A person stopped it\./).waitFor();
    await calls(page).getByText("Cancelled").first().waitFor();
    await expect.poll(async () => (await turns()).map(({ state }) => state)).toContain("cancelled");

    // Stopped by the message that takes its place.
    await say(page, asks);
    await card(page).waitFor();
    await field(page).fill("Rather this.");
    await page.getByRole("button", { name: "Stop and send" }).press("Enter");
    await page.getByText("[demo model, no AI] You wrote: Rather this.").waitFor();
    await page.getByText("Stopped: Another message took its place.").waitFor();

    await field(page).focus();
    await page.evaluate(
      given("DragEvent", "drop", '[new File(["Zoë."], "notes.txt", { type: "text/plain" }), new File([new Uint8Array(2e7)], "big.bin")]'),
    );
    await page.getByText("big.bin has 20,000,000 bytes and an attachment at most 10,000,000 bytes: it was not added.").waitFor();
    await page.evaluate(
      given(
        "ClipboardEvent",
        "paste",
        '[new File([new Uint8Array([1, 2])], "image-with-a-name-that-is-too-long-for-a-phone.png", { type: "image/png" })]',
      ),
    );
    const attached = page.getByRole("list", { name: "Attachments" });
    await attached.getByText("2 bytes").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await attached.getByRole("button", { name: /^Remove image-/ }).press("Enter");
    await page.route("**/api/agents/*/turns", (route) => route.abort("connectionrefused"));
    await say(page, "Hello");
    await page.getByText("The server does not answer. What you typed is kept").waitFor();
    expect(await field(page).inputValue()).toBe("Hello");
    expect(await attached.getByRole("listitem").count()).toBe(1);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await field(page).press("Enter");
    await page.getByText(/^\[demo model, no AI\] You wrote: Hello\s+\[Attachment notes\.txt: text\/plain, 5 bytes, [\s\S]*Zoë\./).waitFor();
    await page.getByRole("button", { name: "Save notes.txt (text/plain, 5 bytes)" }).waitFor();
    expect(await attached.count()).toBe(0);
    expect(await field(page).inputValue()).toBe("");
    expect((await console.browsers.closeAll()).filter((trouble) => !/404|net::ERR_/.test(trouble))).toEqual([]);
  });

  test("by keyboard alone: an agent is chosen, its sub-agent is watched and answered in its call, and it is stopped", async () => {
    for (const agent of ["assistant", "scribe"]) await console.api("/agents", { agent });
    const page = await console.open("/chat");
    const { keyboard } = page;
    const focused = (words: string) => page.evaluate(`document.activeElement.${words}`);
    await focusByKey(page, /^Agent/, "Shift+Tab");
    await keyboard.press("s");
    await focusByKey(page, /^Message to scribe/);
    await keyboard.type(`call task_spawn ${JSON.stringify({ task: asks })}`);
    await keyboard.press("Enter");

    const spawned = page.getByRole("article", { name: "Call of task_spawn" });
    const nested = spawned.getByRole("group").getByRole("article", { name: "Call of exec" });
    const isAsked = async () => {
      await spawned.getByText("The sub-agent waits for a person to answer").waitFor();
      await nested.getByRole("heading", { name: "Run “git push”?" }).waitFor();
      expect(await card(page).count()).toBe(1);
      // Nothing takes the focus from what somebody types.
      expect(await focused("ariaLabel")).toBe("Message to scribe");
    };
    await isAsked();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.reload();
    await isAsked();
    await settle(page);
    await keyboard.press("Escape");
    await keyboard.press("j");
    expect(await focused("dataset.approval")).toMatch(/^apr_/);
    await keyboard.press("a");
    expect(await focused("dataset.act")).toBe("approve");
    // What takes the focus comes into view, and so may move.
    await settle(page);
    await keyboard.press("Enter");
    await nested.getByText(/approved it at .* by form/).waitFor();
    await page.getByText(/^\[demo model, no AI\] task_spawn:/).waitFor();
    await spawned.getByText("What the sub-agent did").waitFor();

    await page.reload();
    await spawned.getByText("What the sub-agent did").waitFor();
    expect(await nested.count()).toBe(0);
    await focusByKey(page, /^What the sub-agent did/, "Shift+Tab");
    await keyboard.press("Enter");
    await nested.getByRole("link", { name: "The story of this call" }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);

    await focusByKey(page, /^Message to scribe/);
    await keyboard.type(asks);
    await keyboard.press("Enter");
    await card(page).waitFor();
    await focusByKey(page, /^Stop$/);
    await keyboard.press("Enter");
    await page.getByText(/^Stopped: A person stopped it\./).waitFor();
  });
});
