import { spawnSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, whyNoBrowser } from "../browser.ts";
import { Console, faultsEverywhere } from "./console.ts";
import { addLetterTool, readLetter } from "./letter-tool.ts";

describe.skipIf(whyNoBrowser)(`rooms and webhooks in the console${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start({ prepare: addLetterTool });
  });
  afterEach(async () => {
    expect(await console.browsers.closeAll()).toEqual([]);
  });
  afterAll(() => console?.stop());

  test("an agent works off what is posted, writes to the people, and leaves the rest to them", async () => {
    const page = await console.open("/chat");
    await page.getByRole("link", { name: "Rooms" }).click();
    await page.getByText("Rooms appear here.").waitFor();
    await page.getByRole("button", { name: "Make a room" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Title" }).fill("Orders");
    expect(await faultsEverywhere(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Make the room" }).click();
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    await page
      .getByRole("navigation", { name: "Rooms" })
      .getByRole("link", { name: /^Orders/ })
      .waitFor();

    const post = async (text: string) => {
      await page.getByRole("textbox", { name: "An event for assistant" }).fill(text);
      await page.getByRole("button", { name: "Post" }).click();
    };
    const events = page.getByRole("region", { name: "Events" }).getByRole("listitem");
    await post('call room_send_to_human {"message":"Order 4711 is sent."}\ncall room_event_complete {"event":1,"outcome":"Sent by post."}');
    await page.getByRole("region", { name: "What assistant says" }).getByText("Order 4711 is sent.").waitFor();
    await events.getByText("Sent by post.", { exact: true }).waitFor();
    await events.getByText("done", { exact: true }).waitFor();

    await post("Call the customer.");
    await events.filter({ hasText: "Call the customer." }).getByText("for a person", { exact: true }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Resolve event 2" }).click();
    await dialog.getByRole("textbox", { name: "What came of it" }).fill("She was told.");
    expect(await faultsEverywhere(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Resolve the event" }).click();
    await events.getByText("She was told.").waitFor();
    await events.getByText("resolved", { exact: true }).waitFor();

    const { callId } = (await console.api("/tools/letter_read/call", {}, "letters")) as { readonly callId: string };
    const message = 'call room_send_to_human {"message":"Somebody wrote."}\ncall room_event_complete {"event":3}';
    await console.api("/tools/room_post/call", { room: new URL(page.url()).searchParams.get("room"), message }, "letters");
    const said = page.getByRole("region", { name: "What assistant says" }).getByRole("listitem");
    const read = said.filter({ hasText: "Somebody wrote." }).getByText(readLetter, { exact: true });
    expect(await read.getByRole("link").getAttribute("href")).toBe(`/calls/${callId}`);
    expect(await said.filter({ hasText: "Order 4711 is sent." }).getByText(readLetter).count()).toBe(0);

    await page.getByRole("button", { name: "Change" }).click();
    await dialog.getByRole("textbox", { name: "Title" }).fill("Orders of today");
    await dialog.getByRole("textbox", { name: "People" }).fill("bob");
    await dialog.getByRole("button", { name: "Save the room" }).click();
    await page.getByRole("heading", { name: "Orders of today" }).waitFor();
    await page.getByText(/^assistant with .*, bob$/).waitFor();
    // A tenant that makes an agent has the implied one no more.
    await console.api("/agents", { agent: "reviewer" });
    await page.getByText("Agent assistant was deleted: events go to people.").waitFor();
    await page.getByText("assistant (gone)").waitFor();

    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByRole("button", { name: "Delete the room" }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete the room" }).click();
    await page.getByText("Rooms appear here.").waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("a hook is made with a secret that is shown once, sends what is signed with it, and gets a new one", async () => {
    const page = await console.open("/admin/hooks");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const dialog = page.getByRole("dialog");
    await page.getByText("give its address and secret to a service").waitFor();
    await button("Make a hook").click();
    await page.getByRole("textbox", { name: "Name" }).fill("Orders");
    await page.getByRole("textbox", { name: "Agent" }).fill("clerk");
    await console.api("/agents", { agent: "clerk" });
    await button("Make the hook").click();
    await expect.poll(() => page.evaluate("document.activeElement.labels?.[0].textContent")).toMatch(/^Name/);
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("textbox", { name: "Name" }).fill("orders");
    await button("Make the hook").click();
    const shown = page.getByRole("dialog", { name: "The secret of orders" });
    const readSecret = async () => {
      const text = (await shown.locator("pre").textContent()) ?? "";
      await shown.getByRole("button", { name: "Close" }).click();
      await shown.waitFor({ state: "detached" });
      return text;
    };
    const first = await readSecret();
    expect(first).toMatch(/^whsec_\S{44}$/);
    expect(await page.content()).not.toContain(first);

    const hook = page.getByRole("region", { name: "Hook orders" });
    const commands = await hook.locator("pre").textContent();
    const send = (secret: string) =>
      spawnSync("sh", ["-c", `${commands}`], { encoding: "utf8", env: { ...console.place.env, HOOK_SECRET: secret } });
    expect(JSON.parse(send(first).stdout)).toMatchObject({ job: expect.any(String) });
    await hook.getByRole("list", { name: "Last messages of orders" }).getByText("agent_run").waitFor();
    await button("New secret for orders").click();
    expect(await faultsEverywhere(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Make a new secret" }).click();
    const second = await readSecret();
    expect(send(first).stdout).toContain("404");
    expect(JSON.parse(send(second).stdout)).toMatchObject({ job: expect.any(String) });
    expect(await faultsEverywhere(page)).toEqual([]);
    await button("Remove orders").click();
    await dialog.getByRole("button", { name: "Remove orders" }).click();
    await page.getByRole("heading", { name: "No webhooks" }).waitFor();
    // The secret of the hook that could not be made went with it.
    expect(await console.api("/secrets")).toMatchObject({ items: [{ name: expect.stringMatching(/^hook_/) }] });
    expect(await console.browsers.closeAll()).toEqual([expect.stringMatching(/status of 422/)]);
  });
});
