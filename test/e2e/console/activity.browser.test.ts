import { mkdir, readFile, writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, shows, whyNoBrowser } from "../browser.ts";
import type { Place } from "../run-cli.ts";
import { Console, faultsEverywhere } from "./console.ts";
import { hostileMarkdown, hostileTexts, hostileTool } from "./hostile-texts.ts";
import { longCall, seedLog } from "./seed-log.ts";

/** Asks, repairs "3", calls another tool, and answers with more than it may. */
const packTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "pack",
  description: "Packs what it finds.",
  input: z.object({ count: z.int(), label: z.string() }),
  output: z.object({ text: z.string() }),
  effects: { tools: ["file_list"] },
  limits: { maxOutputBytes: 2000 },
  async run({ count, label }, { tools }) {
    await tools.call("file_list", {});
    return { text: (label + " ").repeat(count * 1000) };
  },
});
`;

async function prepare(place: Place): Promise<void> {
  for (const folder of ["workspace", "tools"]) await mkdir(place.path(folder), { recursive: true });
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  await writeFile(place.path("tools/hostile.tool.ts"), hostileTool);
  await writeFile(place.path("tools/pack.tool.ts"), packTool);
  await writeFile(place.path("policy.yaml"), "version: 1\nautonomy: full\ntools: { ask: [pack], deny: [file_delete] }\n");
}

describe.skipIf(whyNoBrowser)(`what happened, in the console${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start({ prepare, serve: ["--policy", "policy.yaml"] });
    await seedLog(console.place, { calls: 5_000, outputs: 3_000 });
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
    await page.waitForURL(/\/tools\/file_list\?call=call_/);
    await page.getByRole("region", { name: "Result" }).getByText(/^Done/).waitFor();
    expect(await console.api("/runs?tool=file_list&door=form")).toMatchObject({ items: [{ status: "success" }] });
    // Going back and coming again runs nothing.
    await page.goBack();
    await page.goForward();
    await page.getByRole("button", { name: "Run" }).waitFor();
    expect(await console.api("/runs?tool=file_list&door=form")).toMatchObject({ items: [{}] });
  });

  test("calls are there with how they ended, filters are in the URL, and a new one is told and does not push", async () => {
    const page = await console.open("/activity");
    await page
      .getByRole("link", { name: /^Done.*file_list/ })
      .first()
      .waitFor();
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
    await expect.poll(() => page.getByRole("link", { name: /file_read/ }).count(), { timeout: 20_000 }).toBe(2);
  });

  test("calls are filtered by person, door, decision and time, and saved as they are filtered", async () => {
    await console.api("/tools/file_delete/call", { path: "missing.txt" });
    const page = await console.open("/activity");
    await page.getByLabel("Decision").selectOption("Blocked");
    await page.waitForURL(/decision=deny/);
    await page
      .getByRole("link", { name: /file_delete/ })
      .first()
      .waitFor();
    expect(await page.getByRole("link", { name: /file_list/ }).count()).toBe(0);
    await page.getByLabel("Decision").selectOption("Any decision");
    await page.getByLabel("Door").selectOption("ai-sdk");
    await page.getByLabel("Person").fill("ann");
    await page.waitForURL(/person=ann/);
    await page.getByRole("link", { name: /seeded_long/ }).waitFor();
    expect(await page.getByRole("link", { name: /file_/ }).count()).toBe(0);
    await page.getByLabel("Agent").fill("=1+1");
    await page.getByText("No calls").waitFor();
    await page.getByLabel("Agent").fill("packer");
    await page.waitForURL(/agent=packer/);
    await page.goto(`${page.url()}&tool=seeded_long`);
    await page.getByRole("link", { name: /seeded_long/ }).waitFor();
    const saved = async (name: string) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
      return readFile(await download.path(), "utf8");
    };
    const [head, ...rows] = (await saved("Save as CSV")).trim().split("\r\n");
    expect(head).toMatch(/^id,startedAt,tool/);
    expect(rows).toEqual([expect.stringMatching(/^call_long,.*,seeded_long,success,ann,packer,ai-sdk/)]);
    expect(JSON.parse(await saved("Save as JSONL"))).toMatchObject({ id: longCall, tool: "seeded_long" });
    await page.getByLabel("Time").selectOption("Last hour");
    await page.getByText("No calls").waitFor();
    await page.goBack();
    await page.getByRole("link", { name: /seeded_long/ }).waitFor();
  });

  test("of thousands of calls at most a hundred are in the page, and keys go through them", async () => {
    const page = await console.open("/activity?tool=seeded");
    await page
      .getByRole("link", { name: /seeded/ })
      .first()
      .waitFor();
    const count = () => page.getByRole("listitem").count();
    const focused = () => page.evaluate("document.activeElement.closest('li')?.ariaPosInSet");
    let most = await count();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect.poll(focused, { timeout: 20_000 }).toBe("2");
    for (let rows = 200; rows <= 600; rows += 200) {
      await expect
        .poll(
          async () => {
            await page.keyboard.press("End");
            most = Math.max(most, await count());
            return Number(await focused());
          },
          { timeout: 20_000 },
        )
        .toBeGreaterThanOrEqual(rows);
      await page.mouse.move(640, 600);
      await page.mouse.wheel(0, -3_000);
      most = Math.max(most, await count());
    }
    expect(most).toBeLessThanOrEqual(100);
    expect(await page.evaluate("document.activeElement.matches('[data-row]')")).toBe(true);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused, { timeout: 20_000 }).toBe("2");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/calls\/call_seeded_\d+/);
  });

  test("a call with thousands of events shows how it ended, and its events as they are scrolled to", async () => {
    const page = await console.open(`/calls/${longCall}`);
    await page.getByText(/^Recorded/).waitFor();
    const list = page.getByRole("list", { name: "Events, in order" });
    await list.getByText("#1", { exact: true }).waitFor();
    expect(await list.getByRole("listitem").count()).toBeLessThanOrEqual(100);
    await list.getByRole("button").first().focus();
    await page.keyboard.press("End");
    await list.getByText("#100", { exact: true }).waitFor();
    const event = list.getByRole("button", { name: /^#100/ });
    expect(await list.getByText("line 99 of what it put out").count()).toBe(1);
    await event.click();
    await expect.poll(() => list.getByText("line 99 of what it put out").count(), { timeout: 20_000 }).toBe(2);
    expect(await list.getByRole("listitem").count()).toBeLessThanOrEqual(100);
  });

  test("the log is verified in place", async () => {
    const page = await console.open("/activity");
    await page.getByRole("button", { name: "Verify the log" }).click();
    await page.getByText(/^The log is whole: \d+ events in \d+ sessions\./).waitFor();
  });

  test("a call that failed says where, and why", async () => {
    const page = await console.open("/activity?tool=file_read");
    await page
      .getByRole("link", { name: /file_read/ })
      .last()
      .click();
    await shows(page, "file_read");
    for (const words of ["missing.txt", "How it went", /failed: file_not_found/]) await page.getByText(words).first().waitFor();
    await page.getByRole("button", { name: /Started, allowed by/ }).click();
    await page.getByRole("term").filter({ hasText: "revision" }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("a call tells its story by the stages of the gate, and leads to what it kept and called", async () => {
    const asked = (await console.api("/tools/pack/call", { count: "3", label: "box" })) as { callId: string; approval: { id: string } };
    await console.api(`/approvals/${asked.approval.id}/answer`, { outcome: { kind: "edit", input: { count: 4, label: "crate" } } });
    await console.api(`/approvals/${asked.approval.id}/run`, {});
    const page = await console.open("/activity?tool=pack&decision=ask");
    await page.getByRole("link", { name: /pack/ }).first().click();
    const stage = (words: string | RegExp) => page.getByRole("listitem").filter({ hasText: words }).first().waitFor();
    await page.getByText("Input as it ran").waitFor();
    for (const words of [
      /^Found/,
      /Parsed.*1 repair.*count/,
      /Decided.*asks · tools\.ask\[0\]/,
      /Approved.*approved with another input · .* · after/,
    ])
      await stage(words);
    for (const words of [/^Ran/, /Projected.*output cut in 1 place/, /Recorded.*#\d+ to #\d+/]) await stage(words);
    expect(await faultsEverywhere(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /Save pack-output\.json/ }).click(),
    ]);
    expect(await readFile(await download.path(), "utf8")).toContain("crate crate");
    await page.getByRole("region", { name: "Calls inside" }).getByRole("link", { name: "file_list" }).click();
    await shows(page, "file_list");
    await page.getByRole("link", { name: "made by another call" }).click();
    await shows(page, "pack");
  });

  test("usage sums up by tool, and what agents asked of models", async () => {
    await console.api("/tools/agent_run/call", { agent: "assistant", message: "Hello" });
    const page = await console.open("/usage");
    await page.getByRole("cell", { name: "file_list" }).waitFor();
    await page.getByLabel("By", { exact: true }).selectOption("By day");
    await page.waitForURL(/by=day/);
    await page.getByRole("region", { name: "Calls of tools" }).waitFor();
    const models = page.getByRole("region", { name: "Models" });
    await models.getByRole("columnheader", { name: "day" }).waitFor();
    await page.getByLabel("By", { exact: true }).selectOption("By model");
    await models.getByRole("cell", { name: "demo/demo" }).waitFor();
    await models.getByText("Without the cost of 1 turn, whose model has no known price.").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("usage shows who asks their own limits, and how much of each is used", async () => {
    const page = await console.open("/usage");
    const limits = page.getByRole("region", { name: "Your limits" });
    await limits.getByRole("meter").nth(5).waitFor();
    expect(await limits.getByRole("meter").count()).toBe(6);
    const jobs = limits.getByRole("meter", { name: "jobs that wait or run" });
    expect([await jobs.getAttribute("max"), await jobs.textContent()]).toEqual(["1000", "0 of 1,000"]);
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
