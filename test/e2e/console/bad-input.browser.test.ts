import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, shows, whyNoBrowser } from "../browser.ts";
import type { Place } from "../run-cli.ts";
import { killServer } from "../served.ts";
import { Console, faultsEverywhere } from "./console.ts";
import { deepTool, floodTool, kindsTool, wideTool } from "./form-tools.ts";

async function prepare(place: Place): Promise<void> {
  await mkdir(place.path("tools"));
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  const tools = { kinds: kindsTool, wide: wideTool, deep: deepTool, flood: floodTool };
  for (const [name, text] of Object.entries(tools)) await writeFile(place.path(`tools/${name}.tool.ts`), text);
}

/** In words of JavaScript: the longest that the page did not answer, in milliseconds, since this was evaluated. */
const watchFreezes = `(() => {
  let last = performance.now();
  globalThis.longestFreeze = 0;
  setInterval(() => {
    const now = performance.now();
    globalThis.longestFreeze = Math.max(globalThis.longestFreeze, now - last);
    last = now;
  }, 20);
})()`;
/** Milliseconds: what a person takes for a freeze, on a machine that does other things, too. */
const freezeMs = 2_000;
/** Milliseconds: Chromium alone takes one second to take in 8 MB where nothing else runs, and five on a busy machine. */
const pasteMs = 8_000;
const longestFreeze = (page: Page) => page.evaluate("globalThis.longestFreeze") as Promise<number>;

describe.skipIf(whyNoBrowser)(`what goes wrong at a form is told, and loses nothing${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start({ prepare });
  });
  afterEach(async () => {
    // What the browser itself says of answers that refuse, and of a network that is gone.
    const troubles = await console.browsers.closeAll();
    expect(
      troubles.filter((trouble) => !/status of 4\d\d|net::ERR_INTERNET_DISCONNECTED|dynamically imported module/.test(trouble)),
    ).toEqual([]);
  });
  afterAll(() => console?.stop());

  const run = (page: Page) => page.getByRole("button", { name: /^Run/ }).click();
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`${console.origin}/api${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const paste = async (page: Page, text: string) => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.evaluate(watchFreezes);
    await page.keyboard.press("Control+v");
  };
  const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };

  test("a tool that changes while its form is open says what changed, and one that goes away stays on the page", async () => {
    const put = (members: object, description = "Shifts. For tests of forms.") =>
      send("PUT", "/tenant-tools/shifting", {
        description,
        inputSchema: { type: "object", properties: members },
        outputSchema: { type: "object" },
      });
    const text = { type: "string" };
    await put({ first: text, second: text });
    const page = await console.open("/tools/shifting");
    await page.getByLabel(/^First/).fill("typed");
    await put({ first: text, third: text });
    await page.getByText("This tool changed while you had it open (new: third; gone: second).").waitFor();
    await page.getByLabel(/^Third/).waitFor();
    expect(await page.getByLabel(/^First/).inputValue()).toBe("typed");
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Understood" }).click();
    await send("DELETE", "/tenant-tools/shifting");
    await page.getByText("This tool is not offered any more.").waitFor();
    expect(await page.getByLabel(/^First/).inputValue()).toBe("typed");
  });

  test("500 fields and 12 levels can be filled, and a key is quick", async () => {
    const page = await console.open("/tools/wide");
    const field = page.getByLabel(/^Field 499/);
    await field.click();
    await page.evaluate(watchFreezes);
    await page.keyboard.type("quickly typed");
    expect(await longestFreeze(page)).toBeLessThan(freezeMs);
    await run(page);
    await page.getByText('{"field_499":"quickly typed"}').waitFor();
    await page.goto(`${console.origin}/tools/deep`);
    const lowest = page.getByLabel(/This lies too deep|^Inner/).last();
    await lowest.fill('{"text": "deep"}');
    await run(page);
    await page.getByText(/"text":"deep"/).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("a paste of 8 MB is told, in a field and as JSON, and the page goes on", async () => {
    const megabytes = `${"0123456789".repeat(9)}\n`.repeat(92_182);
    const page = await console.open("/tools/kinds", clipboard);
    await page.getByLabel(/^Lines/).fill("before ");
    await paste(page, megabytes);
    await page.getByText("8.4 million characters: too long to edit here, sent as it is.").waitFor();
    await page.getByText("This input has 8.4 million characters: Run asks what happens with it.").waitFor();
    await page.getByText("Your browser does not keep this input").waitFor();
    await page.getByLabel("Line", { exact: true }).fill("beside it");
    expect(await longestFreeze(page)).toBeLessThan(pasteMs);
    expect(await faultsEverywhere(page)).toEqual([]);
    await run(page);
    await page.getByText(/The body is larger than 4194304 bytes. Send less/).waitFor();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    expect(await page.getByLabel("Line", { exact: true }).inputValue()).toBe("beside it");
    await page.getByRole("button", { name: "JSON", exact: true }).first().click();
    await page.getByLabel("Input as JSON").selectText();
    await paste(page, `{"line": "pasted", "lines": ${JSON.stringify(megabytes)}, }`);
    await page.getByText("This is not JSON in line 1").waitFor();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    expect(await page.getByLabel("Input as JSON").inputValue()).toBe("{}");
    expect(await longestFreeze(page)).toBeLessThan(pasteMs);
  });

  test("50 MB of output are told and can be saved whole", async () => {
    const page = await console.open("/tools/flood");
    await page.getByLabel("Megabytes").fill("50");
    await page.evaluate(watchFreezes);
    await run(page);
    await page.getByText(/Cut \/text: \d+ of 52429650 bytes are shown./).waitFor({ timeout: 60_000 });
    expect(await longestFreeze(page)).toBeLessThan(freezeMs);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^Save flood-output/ }).click()]);
    expect((await readFile(await download.path())).length).toBeGreaterThan(52_429_650);
  });

  test("offline, a page says since when and what it cannot show, and goes on by itself", async () => {
    const page = await console.open("/tools/kinds");
    await page.getByLabel("Line", { exact: true }).fill("typed");
    await page.context().setOffline(true);
    await page.getByText(/^As of .*, reconnecting\. What you type is kept\./).waitFor();
    await page.getByLabel(/^Lines/).fill("typed offline");
    await page.getByText("The server does not say what would happen.").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page.getByText("The server does not answer.").waitFor();
    await page.context().setOffline(false);
    await page.getByText(/reconnecting/).waitFor({ state: "detached" });
    await page.getByText("Nobody has run this tool yet").waitFor();
    await page.getByRole("button", { name: "Form" }).click();
    expect(await page.getByLabel(/^Lines/).inputValue()).toBe("typed offline");
  });

  test("where the browser keeps nothing, a form works and says what a reload loses", async () => {
    const page = await console.open("/", { isolated: true });
    await page.addInitScript(`for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, name, { get() { throw new DOMException("Blocked.", "SecurityError"); } });`);
    await page.goto(`${console.origin}/tools/wide`);
    await page.getByLabel(/^Field 0/).fill("typed");
    await page.getByText("Your browser does not keep this input, so a reload loses it.").waitFor();
    await page.getByRole("button", { name: "Save as example" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Mine");
    await page.getByRole("button", { name: "Save example" }).click();
    await page.getByText("Your browser keeps nothing more here, so this is not saved.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await run(page);
    await page.getByText('{"field_0":"typed"}').waitFor();
  });

  test("a part of a page that cannot be loaded is told, and is there when the server is back", async () => {
    const page = await console.open("/tools/wide", { isolated: true });
    await page.getByLabel(/^Field 0/).fill("typed");
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Copy as" }).click();
    await page.getByText("A part of this page could not be loaded.").waitFor();
    await page.context().setOffline(false);
    await page.getByLabel(/^Field 0/).waitFor();
    expect(await page.getByLabel(/^Field 0/).inputValue()).toBe("typed");
  });

  test("a clock that is an hour wrong is told, and what happened just now is shown as that", async () => {
    const page = await console.open("/", { isolated: true });
    await page.clock.setSystemTime(Date.now() + 3_600_000);
    await page.goto(`${console.origin}/tools/wide`);
    await page.getByText("The clock of this device is 60 minutes ahead of the server's").waitFor();
    await run(page);
    await page.getByText("Done").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    expect(await page.getByRole("list", { name: /runs$/ }).getByRole("time").first().textContent()).toMatch(/sec|now/);
    expect(await faultsEverywhere(page)).toEqual([]);
  });
});

test.skipIf(whyNoBrowser)(`a session that ends asks for another, and the same form has what was typed${browserWords}`, async () => {
  const [one, other] = ["first-token", "other-token"].map((name) => name.padEnd(48, "x")) as [string, string];
  const console = await Console.start({ prepare, env: { TOOLWRIGHT_TOKEN: one } });
  try {
    const page = await console.open("/tools/kinds?tab=form");
    const signIn = async (token: string) => {
      await shows(page, "Sign in to Toolwright");
      await page.getByLabel("Access token or API key").fill(token);
      await page.getByRole("button", { name: "Continue" }).click();
      await shows(page, "Kinds");
    };
    await signIn(one);
    await page.getByLabel("Line", { exact: true }).fill("half of");
    await page.getByLabel(/^Lines/).fill("typed");
    // The last that the page loads.
    await page.getByRole("combobox", { name: /^City/ }).waitFor();
    await killServer(console.served);
    await page.getByText(/reconnecting\. What you type is kept/).waitFor();
    await page.getByLabel(/^Lines/).fill("typed without a server");
    await console.restart({ TOOLWRIGHT_TOKEN: other });
    await signIn(other);
    expect(page.url()).toContain("/tools/kinds?tab=form");
    expect(await page.getByLabel("Line", { exact: true }).inputValue()).toBe("half of");
    expect(await page.getByLabel(/^Lines/).inputValue()).toBe("typed without a server");
  } finally {
    await console.stop();
  }
});
