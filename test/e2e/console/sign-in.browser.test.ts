import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Browsers, browserWords, shows, whyNoBrowser } from "../browser.ts";
import { type Cookie, PeopleServer, password } from "../people.ts";
import { faultsEverywhere, focusByKey, nextFrame, settle } from "./console.ts";

const ann = "ann@example.org";

describe.skipIf(whyNoBrowser)(`the console where people sign in${browserWords}`, () => {
  let server: PeopleServer;
  let browsers: Browsers;
  let cookies: readonly [ann: Cookie[], bob: Cookie[]];
  beforeAll(async () => {
    server = await PeopleServer.start({ TOOLWRIGHT_CONSOLE: "on" });
    browsers = await Browsers.launch();
    cookies = [await server.addPerson(ann), await server.addPerson("bob@example.org")];
    await server.run("users", "set-role", ann, "owner");
    await server.run("tenants", "create", "harbour", "--name", "Harbour Ltd");
    const link = new URL(await server.run("users", "invite", ann, "--tenant", "harbour", "--role", "viewer"));
    const headers = { origin: server.origin, cookie: cookies[0].map(({ name, value }) => `${name}=${value}`).join("; ") };
    const body = new URLSearchParams({ token: link.searchParams.get("token") ?? "" });
    await fetch(`${server.origin}/auth/accept`, { method: "POST", redirect: "manual", headers, body });
  });
  afterEach(async () => {
    // A browser says so of each answer that asks who is there.
    expect((await browsers.closeAll()).filter((trouble) => !trouble.includes("401"))).toEqual([]);
  });
  afterAll(() => Promise.all([browsers?.close(), server?.stop()]));

  test("by keyboard alone: signed in, back at the page that was asked for, and an approved run", async () => {
    const page = await browsers.open([server.origin], { viewport: { width: 1280, height: 800 } });
    const { keyboard } = page;
    const focus = (words: RegExp) => focusByKey(page, words);
    await page.goto(`${server.origin}/tools/exec`);
    await shows(page, "Sign in to Toolwright");
    expect(await faultsEverywhere(page)).toEqual([]);
    await focus(/^Sign in with your account/);
    await keyboard.press("Enter");
    await shows(page, "Sign in");
    await focus(/^E-mail/);
    await keyboard.type(ann);
    await focus(/^Password/);
    await keyboard.type(password);
    await keyboard.press("Enter");
    await shows(page, "Run command");
    await focus(/^Command/);
    await keyboard.type("git push origin main");
    await page.getByText("Will ask").waitFor();
    await keyboard.press("Control+Enter");
    await page.getByText("It waits for a person.").waitFor();
    await focus(/^Answer it under Approvals/);
    await keyboard.press("Enter");
    await page.getByRole("button", { name: "Approve once" }).waitFor();
    // The button comes into view with the focus, and is pressed while it moves.
    await page.setViewportSize({ width: 1280, height: 320 });
    await settle(page);
    await keyboard.press("a");
    await page.evaluate(nextFrame);
    expect(await page.evaluate("document.activeElement.dataset.act")).toBe("approve");
    await keyboard.press("Enter");
    await page.getByText(/approved it at/).waitFor();
  });

  test("the menu leads to another tenant, and an open tab says so and keeps what was typed there", async () => {
    const page = await browsers.open([server.origin], { viewport: { width: 1280, height: 800 } });
    await page.goto(`${server.origin}/auth/sign-in`);
    await page.getByLabel("E-mail").fill(ann);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page
      .getByRole("listitem")
      .filter({ hasText: "Harbour Ltd: viewer" })
      .getByRole("button", { name: "Act in Harbour Ltd" })
      .waitFor();
    expect(await page.locator("[aria-current]").textContent()).toContain("Default: owner");
    expect(await faultsEverywhere(page)).toEqual([]);
    const typing = await page.context().newPage();
    await typing.goto(`${server.origin}/admin/secrets`);
    await typing.getByRole("button", { name: "Set a secret" }).click();
    await typing.getByRole("textbox", { name: "Name" }).fill("crm_key");
    await page.goto(`${server.origin}/admin/secrets`);
    await page.getByRole("button", { name: "Ann Other" }).click();
    await page.getByRole("menuitem", { name: "Harbour Ltd" }).click();
    await page.getByRole("heading", { name: "Secrets are not yours to manage" }).waitFor();
    await typing.getByRole("heading", { name: "You act in Harbour Ltd now" }).waitFor();
    expect(await typing.getByRole("dialog").count()).toBe(0);
    expect(await faultsEverywhere(typing)).toEqual([]);
    await typing.getByRole("button", { name: "Act in Default again" }).click();
    expect(await typing.getByRole("textbox", { name: "Name" }).inputValue()).toBe("crm_key");
    await page.getByRole("button", { name: "Show Default" }).click();
    await page.getByRole("button", { name: "Set a secret" }).waitFor();
  });

  test("the menu signs out, and the pages for signing in have the scheme that was chosen there", async () => {
    const page = await browsers.open([server.origin], { viewport: { width: 1280, height: 800 }, colorScheme: "light" });
    await page.goto(`${server.origin}/auth/sign-in?return=/approvals`);
    await page.getByLabel("E-mail").fill(ann);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await shows(page, "Approvals");
    const choose = async (name: string) => {
      await page.locator('button[aria-haspopup="menu"]').click();
      await page.getByRole("menuitem", { name, exact: true }).click();
    };
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await choose("Dark");
    await page.goto(`${server.origin}/auth/account`);
    await shows(page, "Your account");
    expect(await ground()).toBe("rgb(19, 19, 21)");
    await page.getByRole("link", { name: "Open the console" }).click();
    await choose("As the system has it");
    await choose("Sign out");
    await shows(page, "Sign in");
    expect(await page.getByRole("status").textContent()).toBe("You are signed out.");
    expect(await ground()).toBe("rgb(251, 251, 250)");
    await page.goto(`${server.origin}/approvals`);
    await shows(page, "Sign in to Toolwright");
  });

  test("who signs in as somebody else in another tab finds nothing of the person before, who finds it again", async () => {
    const page = await browsers.open([server.origin], { viewport: { width: 1280, height: 800 } });
    const becomes = async (whose: Cookie[]) => {
      await page.context().addCookies(whose);
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    };
    const asked = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    let questions = 0;
    // The second one comes with the stream of changes, and nothing has the page ask a third.
    await page.route("**/api/me", async (route) => {
      questions += 1;
      if (questions !== 2) return route.continue();
      const response = await route.fetch();
      asked.resolve();
      await changed.promise;
      await route.fulfill({ response });
    });
    const path = page.getByLabel("Path");
    await page.context().addCookies(cookies[0]);
    await page.goto(`${server.origin}/tools/file_write`);
    await path.fill("notes-of-ann.txt");
    await page.getByRole("button", { name: "Save as example" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("For Ann");
    await asked.promise;
    await becomes(cookies[1]);
    changed.resolve();
    await expect.poll(async () => [await path.inputValue(), await page.getByRole("dialog").count()]).toEqual(["", 0]);
    await path.fill("notes-of-bob.txt");
    await becomes(cookies[0]);
    await expect.poll(() => path.inputValue()).toBe("notes-of-ann.txt");
  });

  test("by keyboard alone: a conversation is shared with a person and with everybody, and both are taken back", async () => {
    const size = { viewport: { width: 1280, height: 800 } };
    const [page, other] = [await browsers.open([server.origin], size), await browsers.open([server.origin], size)];
    await Promise.all([page.context().addCookies(cookies[0]), other.context().addCookies(cookies[1])]);
    const { keyboard } = page;
    const dialog = page.getByRole("dialog");
    const sharing = page.getByRole("region", { name: "Sharing" });
    const focused = () => page.evaluate("document.activeElement.textContent");

    await page.goto(`${server.origin}/chat`);
    await page.getByRole("textbox", { name: "Message to assistant" }).fill("Hello");
    await keyboard.press("Enter");
    await page.getByText("[demo model, no AI] You wrote: Hello").waitFor();
    await sharing.getByText("Not shared.").waitFor();
    const address = page.url();
    const mine = other.getByRole("navigation", { name: "Conversations" }).getByRole("link");
    await other.goto(address);
    await other.getByText(/There is no session "ses_/).waitFor();
    expect(await mine.count()).toBe(0);

    // The id is in the menu of its person, who reads it out.
    await other.locator('button[aria-haspopup="menu"]').click();
    const [, bob = ""] = /^Your id (usr_\S+)$/.exec((await other.getByText(/^Your id /).textContent()) ?? "") ?? [];
    await other.keyboard.press("Escape");

    await focusByKey(page, /^Share$/, "Shift+Tab");
    await keyboard.press("Enter");
    await dialog.waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.labels?.[0].textContent")).toMatch(/^Person/);
    expect(await faultsEverywhere(page)).toEqual([]);
    // Neither a person nor everybody: the dialog stays, and says so.
    await keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("Enter the id of one person").waitFor();
    await focusByKey(page, /^Person/, "Shift+Tab");
    await keyboard.type(bob);
    await keyboard.press("Enter");
    await sharing.getByText(`Shared with ${bob}.`).waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(await focused()).toBe("Share");

    await other.goto(`${server.origin}/chat`);
    // The newest: an attempt before this one leaves its own.
    await mine
      .filter({ hasText: /· of usr_/ })
      .first()
      .click();
    await other.getByText("[demo model, no AI] You wrote: Hello").waitFor();
    await other.getByText(new RegExp(`^Belongs to usr_\\S+\\. Shared with ${bob}\\.$`)).waitFor();
    expect(await other.getByRole("button", { name: "Share", exact: true }).count()).toBe(0);

    await keyboard.press("Enter");
    await focusByKey(page, /^Everybody of the tenant/);
    await keyboard.press("Space");
    await keyboard.press("Enter");
    await sharing.getByText(`Shared with ${bob}, everybody.`).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.route("**/unshare", (route) => route.abort("connectionrefused"));
    await focusByKey(page, new RegExp(`^Unshare ${bob}$`), "Shift+Tab");
    await keyboard.press("Enter");
    await sharing.getByRole("alert").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await keyboard.press("Enter");
    await sharing.getByText("Shared with everybody.").waitFor();
    expect(await focused()).toBe("Share");
    await focusByKey(page, /^Unshare everybody$/, "Shift+Tab");
    await keyboard.press("Enter");
    await sharing.getByText("Not shared.").waitFor();

    // What the other person types in the page that is still open is refused, and stays.
    const typed = other.getByRole("textbox", { name: "Message to assistant" });
    await typed.fill("And I?");
    await typed.press("Enter");
    await other.getByText(/There is no session "ses_/).waitFor();
    expect(await typed.inputValue()).toBe("And I?");
    await other.reload();
    await other.getByText(/There is no session "ses_/).waitFor();
    expect(await mine.count()).toBe(0);
    expect((await browsers.closeAll()).filter((trouble) => !/40[134]|422|net::ERR_/.test(trouble))).toEqual([]);
  });

  test("who is not signed in sees nothing of the server but its name", async () => {
    const page = await browsers.open([server.origin]);
    await page.goto(`${server.origin}/approvals`);
    await shows(page, "Sign in to Toolwright");
    await page.getByLabel("Access token or API key").fill("tw_wrong");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(/The API key is unknown or mistyped/).waitFor();
    await shows(page, "Sign in to Toolwright");
  });
});
