import { randomUUID } from "node:crypto";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, shows, whyNoBrowser } from "../browser.ts";
import type { Place } from "../run-cli.ts";
import { killServer } from "../served.ts";
import { Console, faultsEverywhere, settle } from "./console.ts";
import { addLetterTool, readLetter } from "./letter-tool.ts";

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
  readonly record: { readonly id: string; readonly callId: string };
  readonly answer?: { readonly outcome: object };
}

const policy = `version: 1
autonomy: full
tools:
  ask: [file_write, file_edit, http_request, exec, file_delete]
approvals:
  quorum: [{ tools: [file_delete], approvers: 2 }]
`;

async function prepare(place: Place): Promise<void> {
  await mkdir(place.path("workspace/runs"), { recursive: true });
  await addLetterTool(place);
  await writeFile(place.path("policy.yaml"), policy);
}

describe.skipIf(whyNoBrowser)(`approvals in the console${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start({ prepare, serve: ["--policy", "policy.yaml"] });
  });
  afterEach(async () => {
    expect(await console.browsers.closeAll()).toEqual([]);
    // What a test left open would stand in the next one, and an answer that nobody fetched would be that of a second attempt's call.
    for (const id of asked.splice(0)) {
      await console.api(`/approvals/${id}/answer`, { outcome: { kind: "deny" } });
      await console.api(`/approvals/${id}/run`, {});
    }
  });
  afterAll(() => console?.stop());

  const asked: string[] = [];
  const get = async (id: string) => (await console.api(`/approvals/${id}`)) as Approval;
  /** A call of a program that waits; resolves with the id of its approval. */
  const askTool = async (tool: string, input: object, session?: string) => {
    const { approval } = (await console.api(`/tools/${tool}/call`, input, session)) as { readonly approval: { readonly id: string } };
    asked.push(approval.id);
    return approval.id;
  };
  const ask = (path: string, content = "hello") => askTool("file_write", { path, content });
  const card = (page: Page, id: string) => page.locator(`[data-approval="${id}"]`);
  /** Opens the page and waits until a press on the card is taken for one. */
  const look = async (id: string): Promise<Page> => {
    const page = await console.open("/approvals");
    await card(page, id).waitFor();
    await settle(page);
    return page;
  };
  const press = (page: Page, id: string, name: string) => card(page, id).getByRole("button", { name, exact: true }).click();

  test("a card shows all that would run, who asks and by which rule, and nothing that a screen would hide", async () => {
    const id = await ask("notes/a.txt", "safe\u202egnp.exe\u200b");
    const page = await look(id);
    const text = await card(page, id).textContent();
    await card(page, id).getByRole("heading", { name: "Write notes/a.txt?", exact: true }).waitFor();
    for (const words of ["notes/a.txt", "safe<U+202E>gnp.exe<U+200B>", "by rest", "tools.ask", "Asks"]) expect(text).toContain(words);
    await card(page, id).getByText("What remembering would cover").click();
    await card(page, id).getByRole("heading", { name: "It would allow", exact: true }).waitFor();
    await card(page, id).getByRole("heading", { name: "It would not allow" }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("a change of a file is shown against the file, and what does not change is folded", async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`);
    await writeFile(console.place.path("workspace/notes.txt"), lines.join(""));
    const id = await askTool("file_edit", { path: "notes.txt", oldText: "line 20\n", newText: "line\u200b twenty\n" });
    const page = await look(id);
    await card(page, id).getByText("1 added, 1 removed").waitFor();
    expect(await card(page, id).locator("del").textContent()).toBe("− line 20");
    expect(await card(page, id).locator("ins").textContent()).toBe("+ line<U+200B> twenty");
    await card(page, id).getByText("16 lines stay as they are").waitFor();
    expect(await card(page, id).getByRole("heading", { name: "oldText" }).count()).toBe(0);
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test.each([
    { name: "a link that leads out", path: "out.txt", words: /leaves the workspace/, hidden: "the secret outside" },
    { name: "a file that may hold credentials", path: ".env", words: /protected/, hidden: "the secret inside" },
  ])("of $name a card shows why there is no comparison, and the input as it is", async ({ path, words, hidden }) => {
    await writeFile(console.place.path("outside.txt"), "the secret outside");
    await writeFile(console.place.path("workspace/.env"), "the secret inside");
    await symlink("../outside.txt", console.place.path("workspace/out.txt")).catch(() => undefined);
    const id = await ask(path, "new text");
    const page = await look(id);
    await card(page, id).getByText(words).waitFor();
    const text = (await card(page, id).textContent()) ?? "";
    expect(text).toContain("new text");
    expect(text).not.toContain(hidden);
  });

  test("a line of commands is shown one a line, and those that ask name their rule", async () => {
    const id = await askTool("exec", { command: "ls && unknown-program --now" });
    const page = await look(id);
    await expect.poll(() => card(page, id).locator("ol pre").allTextContents()).toEqual(["ls &&", "unknown-program --now"]);
    await card(page, id).getByRole("heading", { name: "Run “ls && unknown-program --now”?", exact: true }).waitFor();
    expect(await card(page, id).getByRole("listitem").filter({ hasText: "unknown-program" }).first().textContent()).toContain("commands");
  });

  test("a request is shown by method, host, path, headers and body, a secret by its name, and what the conversation read before", async () => {
    const session = randomUUID();
    const { callId } = (await console.api("/tools/letter_read/call", {}, session)) as { readonly callId: string };
    const input = {
      url: "https://api.example.com/items?x=1",
      method: "POST",
      headers: [{ name: "X-Sign", value: "a\u202eb" }],
      body: '{"a":1}',
      credential: "EXAMPLE_TOKEN",
    };
    const id = await askTool("http_request", input, session);
    // Another rule asks about it.
    const other = await askTool("file_write", { path: "letter.txt", content: "hello" }, session);
    const page = await look(id);
    for (const asked of [id, other]) {
      const read = card(page, asked).getByText(readLetter, { exact: true });
      expect(await read.getByRole("link").getAttribute("href")).toBe(`/calls/${callId}`);
    }
    await card(page, id).getByText("Host", { exact: true }).waitFor();
    const asked = "Send a POST request to api.example.com, with the secret EXAMPLE_TOKEN?";
    await card(page, id).getByRole("heading", { name: asked, exact: true }).waitFor();
    const rows = await card(page, id).locator("dd").allTextContents();
    expect(rows).toEqual(["POST", "api.example.com", "/items?x=1", "a<U+202E>b", expect.stringMatching(/^EXAMPLE_TOKEN /), '{"a":1}']);
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.goto(`${console.origin}/calls/${(await get(id)).record.callId}`);
    await page.getByText(/^This conversation read content from letters\.example before/).waitFor();
  });

  test("a new card comes last, and the focus is where it was", async () => {
    const first = await ask("early.txt");
    const page = await look(first);
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    await page.keyboard.press("j");
    const second = await askTool("file_edit", { path: "late.txt", oldText: "a", newText: "b" });
    await card(page, second).getByText("The call would fail").waitFor();
    const ids = await page.locator("[data-approval]").evaluateAll((cards) => cards.map((each) => each.getAttribute("data-approval")));
    expect(ids).toEqual([first, second]);
    expect(await page.evaluate("document.activeElement.dataset.approval")).toBe(first);
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
    // What is remembered of one attempt would cover the call of another.
    const id = await ask(`${name} ${randomUUID()}.txt`);
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
    await card(page, id).getByRole("group", { name: "long.txt" }).focus();
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
      .getByText(/ approved it at .*, by form\.$/)
      .waitFor();
    await press(other, id, "Approve once").catch(() => undefined);
    await card(other, id)
      .getByText(/ approved it at .*, by form\.$/)
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
    await page.keyboard.press("Enter");
    await card(page, second)
      .getByText(/approved it at/)
      .waitFor();
    expect((await get(first)).answer).toBeUndefined();
  });

  test("like calls can be answered together, each shown as on its card, each with an answer of its own", async () => {
    await writeFile(console.place.path("workspace/b3.txt"), "a line\n".repeat(60));
    const ids = [await ask("b1.txt"), await ask("b2.txt", "safe\u200b\n"), await ask("b3.txt")];
    const page = await look(ids[0]!);
    await page.getByRole("button", { name: "Answer them together" }).click();
    const together = page.getByRole("region", { name: "3 calls of file_write" });
    const parts = together.getByRole("listitem").filter({ has: page.getByRole("heading", { level: 2 }) });
    expect(await parts.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Write b1.txt?", "Write b2.txt?", "Write b3.txt?"]);
    await parts.nth(0).getByText("New file, 1 line").waitFor();
    expect(await parts.nth(1).locator("ins").textContent()).toBe("+ safe<U+200B>");
    await parts.nth(2).getByText("1 added, 60 removed").waitFor();
    const yes = together.getByRole("button", { name: "Approve these 3" });
    expect(await yes.isDisabled()).toBe(true);
    await together.getByText("Read each to its end first").waitFor();
    await parts.nth(2).getByRole("group", { name: "b3.txt" }).focus();
    await page.keyboard.press("End");
    await expect.poll(() => yes.isEnabled()).toBe(true);
    expect(await faultsEverywhere(page)).toEqual([]);
    const no = together.getByRole("button", { name: "Deny these 3" });
    // What comes into view moves.
    await no.scrollIntoViewIfNeeded();
    await settle(page);
    await no.click();
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

  test("every decision says why: whether it is visible, whether it runs, and what would change that", async () => {
    const id = await ask("why.txt");
    const page = await look(id);
    const opened = async (path: string) => {
      if (!page.url().endsWith(path)) await page.goto(new URL(path, console.origin).href);
      await page.getByRole("button", { name: "Why: file_write" }).first().click();
      const panel = page.getByRole("dialog", { name: "Why: file_write" });
      await panel.getByText("Is it visible? Yes").waitFor();
      const text = (await panel.textContent()) ?? "";
      for (const words of ["permission passed", "No, it asks a person", "tools.ask[0]", "policy.yaml:4", "Approve a call and remember it"])
        expect(text).toContain(words);
      return panel;
    };
    const panel = await opened("/approvals");
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Why");
    await opened("/tools");
    await page.goto(new URL("/tools/file_write", console.origin).href);
    await page.getByRole("button", { name: "Replace a file" }).click();
    await opened("/tools/file_write");
    const { record } = (await console.api(`/approvals/${id}`)) as { readonly record: { readonly callId: string } };
    await console.api(`/approvals/${id}/answer`, { outcome: { kind: "approve" } });
    await console.api(`/approvals/${id}/run`, {});
    // Of a call it is told as it was decided, whatever the policy says by now.
    await writeFile(console.place.path("policy.yaml"), policy.replace("ask: [file_write,", "deny: [file_write]\n  ask: ["));
    await page.goto(new URL(`/calls/${record.callId}`, console.origin).href);
    const now = async () => JSON.stringify(await console.api("/policy/why", { tool: "file_write" }));
    await expect.poll(now, { timeout: 10_000 }).toContain("tools.deny[0]");
    await page.getByRole("button", { name: "Why: file_write" }).click();
    const then = page.getByRole("dialog", { name: "Why: file_write" });
    await then.getByText("A person was asked").waitFor();
    const told = await then.textContent();
    for (const words of ["As it was decided", "tools.ask[0]", "It was allowed", "approval.approve", "; in force now is"])
      expect(told).toContain(words);
    expect(told).not.toContain("tools.deny");
    await then.getByText("How it would be now").click();
    await then.getByText("tools.deny[0]").first().waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await writeFile(console.place.path("policy.yaml"), policy);
    await expect.poll(now, { timeout: 10_000 }).not.toContain("tools.deny");
  });

  test("an empty inbox says what would be there", async () => {
    const page = await console.open("/approvals");
    await shows(page, "Approvals");
    await page.getByText("Calls that need a person appear here").waitFor();
  });

  // Last: who said yes cannot take it back, so it stays until another person answers.
  test("of two people that are needed it says who said yes, and that one has no more buttons", async () => {
    const path = `${randomUUID()}.txt`;
    await writeFile(console.place.path(`workspace/${path}`), "one\ntwo\n");
    const id = await askTool("file_delete", { path });
    const page = await look(id);
    await card(page, id).getByText("The file goes, with its 2 lines").waitFor();
    await card(page, id).getByText("0 of 2 people said yes.").waitFor();
    expect(await card(page, id).getByRole("button", { name: "Edit" }).count()).toBe(0);
    await press(page, id, "Approve once");
    await card(page, id).getByText("It waits for another person.").waitFor();
    await card(page, id)
      .getByText(/^1 of 2 people said yes: /)
      .waitFor();
    expect(await card(page, id).getByRole("button", { name: "Approve once" }).count()).toBe(0);
    expect((await get(id)).answer).toBeUndefined();
    expect(await faultsEverywhere(page)).toEqual([]);
  });
});
