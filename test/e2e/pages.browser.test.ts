import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Browsers, browserWords, shows, whyNoBrowser } from "./browser.ts";
import { faultsEverywhere } from "./console/console.ts";
import { askForAccess, PeopleServer, password } from "./people.ts";

/** Names that people and programs give themselves have no place to break. */
const long = (length: number) => "m".repeat(length);
const ann = `${long(64)}@example.org`;

describe.skipIf(whyNoBrowser)(`the pages for people, in a browser${browserWords}`, () => {
  let server: PeopleServer;
  let browsers: Browsers;
  let links: Readonly<Record<"invitation" | "reset" | "question", string>>;
  beforeAll(async () => {
    server = await PeopleServer.start();
    browsers = await Browsers.launch();
    await server.addPerson(ann);
    const program = await askForAccess(server.origin, "http://127.0.0.1:9/callback", long(100));
    links = {
      invitation: await server.run("users", "invite", `${long(63)}b@example.org`),
      reset: await server.run("users", "reset-password", ann),
      question: program.question.href,
    };
  });
  afterEach(async () => expect(await browsers.closeAll()).toEqual([]));
  afterAll(() => Promise.all([browsers?.close(), server?.stop()]));

  const signIn = async (page: Page, given = password) => {
    await page.getByLabel("E-mail").fill(ann);
    await page.getByLabel("Password").fill(given);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  test.each<[title: string, path: () => string]>([
    ["Toolwright", () => "/"],
    ["Sign in", () => "/auth/sign-in"],
    ["Not signed in", () => "/auth/error?error=account_not_linked"],
    ["Invitation", () => links.invitation],
    ["No such invitation", () => "/auth/accept?token=none"],
    ["New password", () => links.reset],
    ["No such link", () => "/auth/reset?token=none"],
  ])("%s fits, and can be read and named by everybody", async (title, path) => {
    const page = await browsers.open([server.origin]);
    await page.goto(new URL(path(), server.origin).href);
    await page.getByRole("heading", { level: 1, name: new RegExp(`^${title}`) }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("what went wrong can be read, too", async () => {
    const page = await browsers.open([server.origin]);
    await page.goto(`${server.origin}/auth/sign-in`);
    await signIn(page, "not the right one");
    await page.getByRole("alert").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("a program's question and the account fit, with the longest names, and can be read and named by everybody", async () => {
    const page = await browsers.open([server.origin]);
    await page.goto(links.question);
    await signIn(page);
    await shows(page, "Allow access?");
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.goto(`${server.origin}/auth/account`);
    await shows(page, "Your account");
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByLabel("Current password").fill("not the right one");
    await page.getByLabel(/^New password/).fill(password);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByRole("alert").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.goto(`${server.origin}/auth/consent?client_id=none`);
    await shows(page, "This question is closed");
    expect(await faultsEverywhere(page)).toEqual([]);
  });
});
