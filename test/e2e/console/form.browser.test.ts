import { spawnSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, shows, whyNoBrowser } from "../browser.ts";
import { type Place, shim } from "../run-cli.ts";
import { killServer } from "../served.ts";
import { Console, faultsEverywhere } from "./console.ts";
import { kindsTool, slowTool } from "./form-tools.ts";

async function prepare(place: Place): Promise<void> {
  for (const folder of ["workspace/runs", "tools"]) await mkdir(place.path(folder), { recursive: true });
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  await writeFile(place.path("tools/kinds.tool.ts"), kindsTool);
  await writeFile(place.path("tools/slow.tool.ts"), slowTool);
  await writeFile(place.path("policy.yaml"), "version: 1\nautonomy: full\ntools: { ask: [file_write] }\n");
}

describe.skipIf(whyNoBrowser)(`the form of a tool${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start({ prepare, serve: ["--policy", "policy.yaml"] });
  });
  afterEach(async () => expect(await console.browsers.closeAll()).toEqual([]));
  afterAll(() => console?.stop());

  const pick = (page: Page, field: string, choice: string) =>
    page.getByRole("radiogroup", { name: field }).getByText(choice, { exact: true }).click();
  const run = (page: Page) => page.getByRole("button", { name: /^Run/ }).click();
  const received = async (page: Page): Promise<unknown> => {
    const text = await page.getByRole("region", { name: "Result" }).locator("dd").first().textContent();
    return JSON.parse(text ?? "");
  };
  /** Answers the only call that waits. */
  const answer = async (outcome: object) => {
    const { items } = (await console.api("/approvals")) as { readonly items: readonly { readonly record: { readonly id: string } }[] };
    expect(items).toHaveLength(1);
    await console.api(`/approvals/${items[0]?.record.id}/answer`, { outcome });
  };
  /** What must be there. */
  const fillRequired = async (page: Page) => {
    await page.getByLabel("Line", { exact: true }).fill("one");
    await pick(page, "Agreed", "No");
    await pick(page, "Pay", "cash");
    await pick(page, "Change", "No");
    await page.getByLabel("Note is null").check();
  };

  test("what nobody touched is not sent, and a default is", async () => {
    const page = await console.open("/tools/kinds");
    await shows(page, "Kinds");
    await fillRequired(page);
    await run(page);
    await page.getByText("Done").waitFor();
    expect(await received(page)).toEqual({
      line: "one",
      agreed: false,
      pay: { kind: "cash", change: false },
      version: "v1",
      note: null,
      size: 3,
    });
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("each kind of field arrives as it was filled", async () => {
    const page = await console.open("/tools/kinds", { timezoneId: "Europe/Berlin" });
    await page.getByLabel("Line", { exact: true }).fill("one");
    await page.getByLabel(/^Lines/).fill("first\nsecond");
    await page.getByLabel(/^Amount/).fill("2.5");
    await page.getByLabel(/^Count/).fill("0");
    await pick(page, "Agreed", "Yes");
    await pick(page, "Maybe optional", "No");
    await page.getByLabel(/^Day optional/).fill("2026-02-28");
    await page.getByLabel(/^Moment/).fill("2026-07-01T12:30:00");
    await pick(page, "Color optional", "green");
    await page.getByRole("combobox", { name: /^City/ }).click();
    await page.getByRole("option", { name: "Erfurt" }).click();
    await page.getByRole("combobox", { name: /^Days/ }).click();
    for (const day of ["mon", "wed"]) await page.getByRole("option", { name: day }).click();
    await page.keyboard.press("Escape");
    for (const [index, tag] of ["a", "b"].entries()) {
      await page.getByRole("button", { name: "Add to Tags" }).click();
      await page.getByRole("group", { name: /^Tags/ }).getByRole("textbox").nth(index).fill(tag);
    }
    await page.getByRole("button", { name: "Add to Legs" }).click();
    await page.getByLabel("To", { exact: true }).fill("Jena");
    await page.getByLabel(/^Km/).fill("41.5");
    await page.getByLabel(/^Street/).fill("Main");
    await pick(page, "Pay", "card");
    await page.getByLabel("Digits").fill("0042");
    await page.getByLabel(/^Note/).first().fill("hello");
    await page
      .getByLabel(/^Scan/)
      .setInputFiles({ name: "a.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 255, 10]) });
    await page.getByLabel(/^Owner/).fill("ann");
    await page.getByLabel(/^Size/).fill("");
    await page.getByLabel(/^Size/).fill("7");
    await page.getByLabel(/^Extra/).fill('{"a": 1}');
    await run(page);
    await page.getByText("Done").waitFor();
    expect(await received(page)).toEqual({
      line: "one",
      lines: "first\nsecond",
      amount: 2.5,
      count: 0,
      agreed: true,
      maybe: false,
      day: "2026-02-28",
      moment: "2026-07-01T10:30:00.000Z",
      color: "green",
      city: "Erfurt",
      days: ["mon", "wed"],
      tags: ["a", "b"],
      legs: [{ to: "Jena", km: 41.5 }],
      home: { street: "Main" },
      pay: { kind: "card", digits: "0042" },
      version: "v1",
      note: "hello",
      scan: "AP8K",
      owner: "ann",
      size: 7,
      extra: { a: 1 },
    });
  });

  test("the gate's words stand beside the field that they are about", async () => {
    const page = await console.open("/tools/kinds");
    await page.getByLabel(/^Count/).fill("12");
    await page.locator("#input_count-error").waitFor();
    expect(await page.getByLabel("Line", { exact: true }).getAttribute("aria-invalid")).not.toBe("true");
    await run(page);
    await page.locator("#input_line-error").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("input_line");
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("JSON and form are one input, and what is no JSON says where it breaks", async () => {
    const page = await console.open("/tools/kinds");
    await fillRequired(page);
    await page.getByRole("button", { name: "JSON", exact: true }).first().click();
    const text = page.getByLabel("Input as JSON");
    const json = JSON.parse(await text.inputValue());
    await text.fill(JSON.stringify({ ...json, line: "two", tags: [], home: {} }, null, 2));
    await page.getByRole("button", { name: "Form" }).click();
    expect(await page.getByLabel("Line", { exact: true }).inputValue()).toBe("two");
    await page.getByLabel(/^Amount/).fill("1");
    await page.getByRole("button", { name: "JSON", exact: true }).first().click();
    expect(JSON.parse(await text.inputValue())).toEqual({ ...json, line: "two", tags: [], home: {}, amount: 1 });
    await text.fill('{\n  "line": }');
    await page.getByText("This is not JSON in line 2, column 11").waitFor();
    await page.reload();
    expect(JSON.parse(await text.inputValue())).toMatchObject({ line: "two", amount: 1 });
  });

  test("a run shows how far it is and what it wrote, and can be cancelled", async () => {
    const page = await console.open("/tools/slow");
    await page.getByLabel("Name").fill("stopped");
    await run(page);
    await page.getByText("half of it").waitFor();
    await page.getByText("working on stopped").waitFor();
    // A reload ends nothing: the page takes the call up again, and lets go of it when a person says so.
    await page.reload();
    await page.getByText("working on stopped").waitFor();
    await page.getByText("Its output is what the log keeps.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("region", { name: "Result" }).getByRole("heading", { name: "Cancelled" }).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("stopped");
    await run(page);
    await page.getByText("half of it").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("The caller cancelled the call. What the tool had done by then is done.").waitFor();
  });

  test("what is copied runs the same call in a shell, whatever stands in the form", async () => {
    const line = `it's "$HOME" \`id\` !x`;
    const page = await console.open("/tools/kinds", { permissions: ["clipboard-read", "clipboard-write"] });
    await fillRequired(page);
    await page.getByLabel("Line", { exact: true }).fill(line);
    await page.getByLabel(/^Lines/).fill("-n\n--help\n\\");
    for (const way of ["curl", "command line"]) {
      await page.getByRole("button", { name: "Copy as" }).click();
      await page.getByRole("menuitem", { name: way }).waitFor();
      if (way === "curl") expect(await faultsEverywhere(page)).toEqual([]);
      await page.getByRole("menuitem", { name: way }).click();
      await page.getByRole("button", { name: `Copied as ${way}` }).waitFor();
      const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
      const program = `toolwright() { ${JSON.stringify(process.execPath)} ${JSON.stringify(shim)} "$@"; }`;
      const ran = spawnSync("sh", ["-c", `${program}\n${copied}`], { encoding: "utf8", env: console.place.env });
      const answer = JSON.parse(ran.stdout) as { readonly received?: string; readonly output?: { readonly received: string } };
      expect(JSON.parse((answer.output ?? answer).received ?? ""), ran.stderr).toMatchObject({ line, lines: "-n\n--help\n\\", size: 3 });
      await page.getByRole("button", { name: "Copy as" }).waitFor();
    }
  });

  test("an input is kept as an example of one's own, renamed and removed", async () => {
    const page = await console.open("/tools/slow");
    await page.getByLabel("Name", { exact: true }).fill("of mine");
    await page.getByRole("button", { name: "Save as example" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("First");
    expect(await faultsEverywhere(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save example" }).click();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.reload();
    await page.getByRole("button", { name: "First", exact: true }).click();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("of mine");
    const change = async (action: string) => {
      await page.getByRole("button", { name: "Change the example" }).click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await change("Rename");
    await dialog.getByLabel("Name").fill("Second");
    await dialog.getByRole("button", { name: "Rename example" }).click();
    await page.getByRole("button", { name: "Second", exact: true }).waitFor();
    await change("Remove");
    await page.getByRole("button", { name: "Second", exact: true }).waitFor({ state: "detached" });
    expect(await page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('toolwright.examples'))")).toEqual([]);
  });

  test("two runs are compared member by member, and the address shows the same", async () => {
    const input = { line: "one", agreed: true, pay: { kind: "cash", change: true }, version: "v1", note: null };
    await console.api("/tools/kinds/call", input);
    await console.api("/tools/kinds/call", { ...input, line: "two", tags: ["a"], note: "n" });
    const page = await console.open("/tools/kinds?tab=history");
    const picks = page.getByRole("checkbox", { name: /^Compare the run/ });
    await picks.nth(0).check();
    await page.getByText("Tick one more run").waitFor();
    await picks.nth(1).check();
    const inputs = page.getByRole("group", { name: "Inputs that differ" });
    const rows = async () => (await inputs.getByRole("row").allTextContents()).slice(1);
    await inputs.waitFor();
    expect(await rows()).toEqual(["line changedonetwo", "note changednulln", 'tags addedabsent[\n  "a"\n]']);
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.reload();
    await inputs.waitFor();
    expect(await rows()).toHaveLength(3);
    await page.getByRole("button", { name: "Stop comparing" }).click();
    await inputs.waitFor({ state: "detached" });
    expect(page.url()).not.toContain("one=");
  });

  test("a call that asks says so before, waits, and runs when somebody said yes", async () => {
    const page = await console.open("/tools/file_write");
    await page.getByLabel("Path").fill("asked.txt");
    await page.getByLabel("Content").fill("hello");
    await page.getByText("Will ask").waitFor();
    await run(page);
    await page.getByText("It waits for a person.").waitFor();
    await answer({ kind: "approve" });
    await page.getByText("Done").waitFor();
    expect(await readdir(console.place.path("workspace"))).toContain("asked.txt");
    expect(await console.api("/runs?tool=file_write")).toMatchObject({ items: [{ door: "form", source: "web", status: "success" }] });
  });

  test("a program waits for a call of its own, goes on when the page is left for the answer, and says what threw", async () => {
    const page = await console.open("/tools/code_run");
    const program = page.getByRole("textbox", { name: "Program" });
    const lines = [
      'const { entries } = await tools.file_list({ path: "." });',
      "console.log(entries.length + ' entries, said in a line that is longer than the field is wide on any screen');",
      'const said = await tools.file_write({ path: "by-program.txt", content: "hello" }).then(() => "yes", ({ message }) => message);',
      "return { said, found: entries.map(({ path }) => ({ path })) };",
    ];
    await program.fill(lines.join("\n"));
    // In words of JavaScript: the types of pages are none of this project's.
    const field = 'document.querySelector("main textarea")';
    expect(await page.evaluate(`getComputedStyle(${field}).fontFamily`)).toMatch(/mono/);
    expect(await page.evaluate(`${field}.scrollHeight - ${field}.clientHeight`)).toBe(0);
    await run(page);
    const result = page.getByRole("region", { name: "Result" });
    const inside = result.getByRole("region", { name: "Calls inside" }).getByRole("listitem");
    await expect
      .poll(() => inside.allTextContents())
      .toEqual([expect.stringMatching(/^Done file_list/), expect.stringMatching(/^Waits file_write/)]);
    await result.getByRole("link", { name: "Answer it under Approvals" }).click();
    await page.locator("[data-approval]").getByRole("link", { name: "inside code_run" }).waitFor();
    await answer({ kind: "approve" });
    await page.goBack();
    await result.getByText("Done").first().waitFor();
    await result.getByRole("columnheader", { name: "path" }).waitFor();
    await expect
      .poll(() => inside.allTextContents())
      .toEqual([expect.stringMatching(/^Done file_list/), expect.stringMatching(/^Done file_write/)]);
    expect(await readdir(console.place.path("workspace"))).toContain("by-program.txt");

    await run(page);
    await page.getByText("It waits for a person.").waitFor();
    await answer({ kind: "deny", message: "Not today." });
    await result.getByText("Not today.").waitFor();

    await program.fill('console.log("begun");\nreturn await tools.file_read({ path: "none.txt" });');
    await run(page);
    const failure = await result.getByText(/^The program threw Error \[file_not_found\]/).textContent();
    expect(failure).toMatch(/\n {2}2 \| return await .*\n {6}-+\^\n/);
    await result.getByText("Details").click();
    await result.getByText("begun").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("a server that is killed in the middle loses nothing that was typed, and the same press runs no second call", async () => {
    const page = await console.open("/tools/slow");
    await page.getByLabel("Name").fill("killed");
    await run(page);
    await page.getByText("half of it").waitFor();
    await killServer(console.served);
    await page.getByText("The connection was lost").waitFor();
    await page.getByRole("button", { name: "Ask now" }).waitFor();
    await console.restart();
    await writeFile(console.place.path("workspace/go.txt"), "");
    await page
      .getByRole("region", { name: "Result" })
      .getByText(/Done|Unknown/)
      .waitFor();
    expect((await readdir(console.place.path("workspace/runs"))).filter((name) => name.startsWith("killed"))).toHaveLength(1);
    await page.reload();
    expect(await page.getByLabel("Name").inputValue()).toBe("killed");
    // What the browser itself says of a server that is gone.
    expect((await console.browsers.closeAll()).filter((trouble) => !/net::ERR_/.test(trouble))).toEqual([]);
  });

  test("a server that is killed while a form is half filled takes nothing from it, and its run is one call", async () => {
    const page = await console.open("/tools/kinds");
    const before = ((await console.api("/runs?tool=kinds")) as { readonly items: readonly unknown[] }).items.length;
    await page.getByLabel("Line", { exact: true }).fill("half");
    await page.getByRole("combobox", { name: /^City/ }).waitFor();
    await killServer(console.served);
    await page.getByText(/reconnecting\. What you type is kept/).waitFor();
    await page.getByLabel(/^Lines/).fill("the other half");
    await pick(page, "Agreed", "No");
    await console.restart();
    await page.getByText(/reconnecting/).waitFor({ state: "detached" });
    await pick(page, "Pay", "cash");
    await pick(page, "Change", "No");
    await page.getByLabel("Note is null").check();
    await run(page);
    await page.getByText("Done").waitFor();
    expect(await received(page)).toMatchObject({ line: "half", lines: "the other half", agreed: false });
    const runs = async () => ((await console.api("/runs?tool=kinds")) as { readonly items: readonly unknown[] }).items.length;
    await expect.poll(runs).toBe(before + 1);
    expect((await console.browsers.closeAll()).filter((trouble) => !/net::ERR_/.test(trouble))).toEqual([]);
  });

  test("a tool that there is not says what to do", async () => {
    const page = await console.open("/tools/nothing");
    await page.getByText("There is no tool nothing for you").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });
});
