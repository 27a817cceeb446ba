import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, shows, whyNoBrowser } from "../browser.ts";
import type { Place } from "../run-cli.ts";
import { killServer } from "../served.ts";
import { Console, faultsEverywhere } from "./console.ts";

/** Resolves when no card has moved for longer than a press has to wait. In words of JavaScript: the types of pages are none of this project's. */
const standsStill = `new Promise((resolve) => {
  let last;
  let since = performance.now();
  const look = () => {
    const places = [...document.querySelectorAll("[data-approval], main section")].map((part) => part.getBoundingClientRect().top).join();
    if (places !== last) since = performance.now();
    last = places;
    if (performance.now() - since > 700) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Presses the first Approve in the frame in which it appears. */
const pressesAtOnce = `new Promise((resolve) => {
  const look = () => {
    const button = [...document.querySelectorAll("[data-approval] button")].find((each) => each.textContent === "Approve once");
    if (!button) return void requestAnimationFrame(look);
    button.click();
    resolve();
  };
  look();
})`;

interface Approval {
  readonly record: { readonly id: string };
  readonly answer?: { readonly outcome: object };
}

async function prepare(place: Place): Promise<void> {
  await mkdir(place.path("workspace"), { recursive: true });
  await writeFile(place.path("policy.yaml"), "version: 1\nautonomy: full\ntools: { ask: [file_write] }\n");
}

describe.skipIf(whyNoBrowser)(`approvals in the console${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start({ prepare, serve: ["--policy", "policy.yaml"] });
  });
  afterEach(async () => {
    expect(await console.browsers.closeAll()).toEqual([]);
    // What a test left open would stand in the next one.
    for (const { record } of await open()) await console.api(`/approvals/${record.id}/answer`, { outcome: { kind: "deny" } });
  });
  afterAll(() => console?.stop());

  const open = async () => ((await console.api("/approvals")) as { readonly items: readonly Approval[] }).items;
  const get = async (id: string) => (await console.api(`/approvals/${id}`)) as Approval;
  /** A call of a program that waits; resolves with the id of its approval. */
  const ask = async (path: string, content = "hello") =>
    ((await console.api("/tools/file_write/call", { path, content })) as { readonly approval: { readonly id: string } }).approval.id;
  const card = (page: Page, id: string) => page.locator(`[data-approval="${id}"]`);
  /** Opens the page and waits until a press on the card is taken for one. */
  const look = async (id: string): Promise<Page> => {
    const page = await console.open("/approvals");
    await card(page, id).waitFor();
    await settle(page);
    return page;
  };
  const settle = (page: Page) => page.evaluate(standsStill);
  const press = (page: Page, id: string, name: string) => card(page, id).getByRole("button", { name, exact: true }).click();

  test("a card shows all that would run, who asks and by which rule, and nothing that a screen would hide", async () => {
    const id = await ask("notes/a.txt", "safe\u202egnp.exe\u200b");
    const page = await look(id);
    const text = await card(page, id).textContent();
    for (const words of ["notes/a.txt", "safe<U+202E>gnp.exe<U+200B>", "by rest", "tools.ask", "Asks"]) expect(text).toContain(words);
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("yes runs it once, and the card says who said so and loses its buttons", async () => {
    const id = await ask("yes.txt");
    const page = await look(id);
    await press(page, id, "Approve once");
    await card(page, id)
      .getByText(/approved it at/)
      .waitFor();
    expect(await card(page, id).getByRole("button", { name: "Approve once" }).count()).toBe(0);
    expect(await get(id)).toMatchObject({ answer: { outcome: { kind: "approve" } } });
    await page.getByRole("button", { name: "Put away" }).click();
    await page.getByText("Nothing waits for you").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test.each([
    {
      name: "no, with words",
      fill: async (page: Page, id: string) => {
        await press(page, id, "Deny");
        await page.getByLabel("Why, for the caller").fill("not today");
        await press(page, id, "Deny it");
      },
      outcome: { kind: "deny", message: "not today" },
    },
    {
      name: "an answer instead",
      fill: async (page: Page, id: string) => {
        await press(page, id, "Answer instead");
        await page.getByLabel("What the caller reads as the answer").fill("It is there already.");
        await press(page, id, "Send this answer");
      },
      outcome: { kind: "respond", message: "It is there already." },
    },
    {
      name: "another input",
      fill: async (page: Page, id: string) => {
        await press(page, id, "Edit");
        const input = page.getByLabel("Run it with this input instead");
        await input.fill('{"path": ');
        await card(page, id).getByText("This is not JSON in line 1, column 10").waitFor();
        await input.fill('{"path": "edited.txt", "content": "other"}');
        await press(page, id, "Approve this input");
      },
      outcome: { kind: "edit", input: { path: "edited.txt", content: "other" } },
    },
    {
      name: "yes, also for later",
      fill: async (page: Page, id: string) => {
        await press(page, id, "Remember");
        await page.getByLabel("For how long").selectOption("1 hour");
        await page.getByLabel("For how many calls").fill("3");
        await press(page, id, "Approve and remember");
      },
      outcome: { kind: "approve", remember: { scope: expect.any(String), forMs: 3_600_000, maxUses: 3 } },
    },
  ])("$name is what the caller gets", async ({ name, fill, outcome }) => {
    const id = await ask(`${name}.txt`);
    const page = await look(id);
    await fill(page, id);
    await card(page, id)
      .getByText(/(?:denied it|answered in its place|approved it.*) at \d/)
      .waitFor();
    expect((await get(id)).answer?.outcome).toMatchObject(outcome);
  });

  test("what does not fit is read to its end before anybody says yes", async () => {
    const id = await ask("long.txt", `${"a line\n".repeat(60)}the tail`);
    const page = await look(id);
    const yes = card(page, id).getByRole("button", { name: "Approve once" });
    expect(await yes.isDisabled()).toBe(true);
    await card(page, id).getByText("Read to the end first").waitFor();
    await card(page, id).getByRole("group", { name: "content" }).focus();
    await page.keyboard.press("End");
    await expect.poll(() => yes.isEnabled()).toBe(true);
  });

  test("a press on what appeared a moment ago does nothing", async () => {
    const page = await console.open("/approvals");
    await page.getByText("Calls that need a person appear here").waitFor();
    const pressed = page.evaluate(pressesAtOnce);
    const id = await ask("sudden.txt");
    await pressed;
    expect((await get(id)).answer).toBeUndefined();
    await settle(page);
    await press(page, id, "Approve once");
    await card(page, id)
      .getByText(/approved it at/)
      .waitFor();
  });

  test("of two people one is first, and both see who", async () => {
    const id = await ask("both.txt");
    const [one, other] = await Promise.all([look(id), look(id)]);
    await press(one, id, "Approve once");
    await card(one, id)
      .getByText(/approved it at/)
      .waitFor();
    await press(other, id, "Approve once").catch(() => undefined);
    await card(other, id)
      .getByText(/approved it at/)
      .waitFor();
    expect((await console.browsers.closeAll()).filter((trouble) => !trouble.includes("409"))).toEqual([]);
  });

  test("by keyboard alone: to the next card, to its button, and pressed", async () => {
    const first = await ask("first.txt");
    const second = await ask("second.txt", "other");
    const page = await look(second);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    // What takes the focus comes into view, and so may move.
    await settle(page);
    await page.keyboard.press("Enter");
    await card(page, second)
      .getByText(/approved it at/)
      .waitFor();
    expect((await get(first)).answer).toBeUndefined();
  });

  test("like calls can be answered together, each with an answer of its own", async () => {
    const ids = [await ask("b1.txt"), await ask("b2.txt"), await ask("b3.txt")];
    const page = await look(ids[0]!);
    await page.getByRole("button", { name: "Answer them together" }).click();
    expect(await faultsEverywhere(page)).toEqual([]);
    await settle(page);
    await page.getByRole("button", { name: "Deny these 3" }).click();
    for (const id of ids)
      await card(page, id)
        .getByText(/denied it at/)
        .waitFor();
    expect(await Promise.all(ids.map(get))).toMatchObject(ids.map(() => ({ answer: { outcome: { kind: "deny" } } })));
  });

  test("a card that stands while the server is killed is there again after, and its answer counts", async () => {
    const id = await ask("killed.txt");
    const page = await look(id);
    await killServer(console.served);
    await page.getByText(/^As of .*, reconnecting/).waitFor();
    await console.restart();
    await expect.poll(() => page.getByText(/^As of/).count(), { timeout: 20_000 }).toBe(0);
    await settle(page);
    await press(page, id, "Approve once");
    await card(page, id)
      .getByText(/approved it at/)
      .waitFor();
    await console.api(`/approvals/${id}/run`, {});
    expect(await readFile(console.place.path("workspace/killed.txt"), "utf8")).toBe("hello");
    expect((await console.browsers.closeAll()).filter((trouble) => !/net::ERR_/.test(trouble))).toEqual([]);
  });

  test("an empty inbox says what would be there", async () => {
    const page = await console.open("/approvals");
    await shows(page, "Approvals");
    await page.getByText("Calls that need a person appear here").waitFor();
  });
});
