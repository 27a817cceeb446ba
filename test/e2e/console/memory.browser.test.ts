import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, whyNoBrowser } from "../browser.ts";
import { Console, faultsEverywhere, focusByKey } from "./console.ts";
import { hostileTexts } from "./hostile-texts.ts";

const [hostile = ""] = hostileTexts;
const fileOf = (name: string, text: string, mimeType = "text/plain") => ({ name, mimeType, buffer: Buffer.from(text) });

/** In words of JavaScript: files as a person drops them. */
const dropped = (name: string, text: string) => `(() => {
  const data = new DataTransfer();
  data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: "text/plain" }));
  document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
})()`;

describe.skipIf(whyNoBrowser)(`memories and documents in the console${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start();
  });
  afterEach(async () => {
    expect(await console.browsers.closeAll()).toEqual([]);
  });
  afterAll(() => console?.stop());

  test("a person saves, corrects and forgets what is remembered, for themselves and for an agent, and takes it along as a file", async () => {
    // An earlier attempt may have left some.
    for (const key of ["tone", "odd"]) await fetch(new URL(`/api/memories/${key}`, console.origin), { method: "DELETE" });
    const agent = `scribe${Date.now()}`;
    await console.api("/memories", { owner: `agent:${agent}`, key: "tone", content: "Be short." });
    const page = await console.open("/memory");
    const dialog = page.getByRole("dialog");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await page.getByText("What agents save with memory_save appears here").waitFor();
    await button("Save a memory").click();
    const content = dialog.getByRole("textbox", { name: "What is remembered" });
    const focused = dialog.locator("textarea:focus");
    await focused.waitFor();
    await content.fill("x".repeat(8_001));
    await dialog.getByRole("textbox", { name: "Key" }).fill("tone");
    await button("Save memory").click();
    await page.locator('textarea[aria-invalid="true"]:focus').waitFor();
    await dialog.getByText(/8,?000/).waitFor();
    expect((await content.inputValue()).length).toBe(8_001);
    expect(await faultsEverywhere(page)).toEqual([]);
    await content.fill("Short answers.\nIn German.");
    await button("Save memory").click();
    await page.getByRole("row", { name: /tone.*Short answers\..*for good.*a person/ }).waitFor();

    // Without a mouse, to where the versions are, and back.
    await dialog.waitFor({ state: "detached" });
    await focusByKey(page, /^Correct$/);
    await page.keyboard.press("Enter");
    await focused.waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Short answers.\nIn English.");
    await focusByKey(page, /^Save correction$/);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await focusByKey(page, /^Show$/, "Shift+Tab");
    await page.keyboard.press("Enter");
    const entry = page.getByRole("region", { name: "Memory tone" });
    await entry.locator("ins", { hasText: "In English." }).waitFor();
    await entry.locator("del", { hasText: "In German." }).waitFor();
    await focusByKey(page, /^Close$/);
    await page.keyboard.press("Enter");
    await entry.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Show");

    // What a tool saves comes by itself, and is text.
    await console.api("/tools/memory_save/call", { key: "odd", content: `${hostile}\u202Egnp.exe\n${hostileTexts.join("\n")}` });
    await page.getByRole("cell", { name: `${hostile}<U+202E>gnp.exe`, exact: true }).waitFor();
    await button("Show odd").click();
    await page
      .getByRole("region", { name: "Memory odd" })
      .getByText(hostileTexts.at(-1) as string)
      .waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);

    await page.getByRole("combobox", { name: "Whose memories" }).selectOption(`agent ${agent} (1)`);
    await page.getByRole("cell", { name: "Be short." }).waitFor();
    await button("Forget tone").click();
    await button("Forget memory").click();
    await page.getByRole("heading", { name: "No memories" }).waitFor();

    const lines = Array.from({ length: 101 }, (_, index) =>
      JSON.stringify({ key: `k${100 + index}`, content: `${index}`, category: "core" }),
    );
    await page.locator('input[type="file"]').setInputFiles(fileOf("memories.jsonl", lines.join("\n")));
    await page.getByText("Imported 101; 0 were there already.").waitFor();
    await page.getByText("The first 100 are shown.").waitFor();
    // A change comes while the next page is on its way: it is shown all the same.
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route(/after=/, async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue().catch(() => undefined);
    });
    await button("More memories").click();
    await asked.promise;
    const readAnew = page.waitForResponse((response) => /memories\b.*limit=100/.test(response.url()) && !response.url().includes("after="));
    await console.api("/tools/memory_save/call", { key: "odd", content: "Even." });
    await readAnew;
    held.resolve();
    await page.getByRole("cell", { name: "k200", exact: true }).waitFor();
    await page.getByText("The first 100 are shown.").waitFor({ state: "detached" });
    // Another list has its first page alone until more of it is asked for.
    const pages: string[] = [];
    page.on("request", (request) => void pages.push(...(request.url().match(/category=core.*/) ?? [])));
    const kept = page.getByRole("combobox", { name: "How long memories are kept" });
    await kept.selectOption("core");
    await page.getByText("The first 100 are shown.").waitFor();
    await kept.selectOption("");
    await page.getByRole("cell", { name: "k200", exact: true }).waitFor();
    expect(pages.filter((url) => url.includes("after="))).toEqual([]);
    expect(pages).not.toEqual([]);
    const [download] = await Promise.all([page.waitForEvent("download"), button("Export").click()]);
    const exported = (await readFile(await download.path(), "utf8")).trim().split("\n");
    expect(exported.map((line) => JSON.parse(line))).toEqual(lines.map((line) => expect.objectContaining(JSON.parse(line))));
    // Chromium tells every refusal.
    expect(await console.browsers.closeAll()).toEqual([expect.stringMatching(/status of 422/)]);
  });

  test("a document is dropped, read, asked and removed; one that cannot be read shows why", async () => {
    const page = await console.open("/memory?view=documents");
    const row = (name: string | RegExp) => page.getByRole("row", { name });
    // A first attempt may have left its scans.
    await page
      .getByText(/Drop files here|scan1\.pdf/)
      .first()
      .waitFor();
    const name = `${hostile.replaceAll("/", "")}\u202Egnp.txt`;
    const text = "The notice period is three months to the end of a quarter.";
    await page.evaluate(dropped(name, text));
    await row(/<script>alert\(1\)<script><U\+202E>gnp\.txt default ready/).waitFor();
    const picker = page.locator('input[type="file"]');
    await picker.setInputFiles(fileOf(name, text));
    await page.getByText("gnp.txt has not changed since its last upload.").waitFor();
    // More than are read before the last change that is told: the page looks by itself.
    // Each of two parts, as the server takes them.
    const scans = [1, 2, 3].map((number) =>
      fileOf(`scan${number}.pdf`, `%PDF-1.7 and no more ${number} ${"x".repeat(300_000)}`, "application/pdf"),
    );
    await picker.setInputFiles(scans);
    for (const { name } of scans) await row(new RegExp(`${name} default failed: \\S+`)).waitFor();

    await page.getByRole("textbox", { name: "A question to the documents" }).fill("notice period");
    const passages = page.getByRole("list", { name: "Passages" });
    await passages.getByText(text).waitFor();
    await passages.getByText("<U+202E>gnp.txt").waitFor();
    await page.getByText(/^Not searched: .*scan1\.pdf \(failed\)/).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);

    await page.getByRole("button", { name: /^Remove .*<U\+202E>gnp\.txt$/ }).click();
    await page.getByRole("button", { name: "Remove document" }).click();
    await page.getByText("No passage says anything about it.").waitFor();
    await row(/gnp\.txt/).waitFor({ state: "detached" });
  });
});
