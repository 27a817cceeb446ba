import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Browsers, browserWords, focused, shows, whyNoBrowser } from "./browser.ts";
import { type Cookie, OtherSite, PeopleServer, password } from "./people.ts";

const ann = "ann@example.org";
const next = "another long password";

describe.skipIf(whyNoBrowser)(`signing in with a browser${browserWords}`, () => {
  let server: PeopleServer;
  let browsers: Browsers;
  let other: OtherSite;
  /** Where Ann is signed in already: the server takes twenty sign-ins a minute. */
  let session: readonly Cookie[];
  beforeAll(async () => {
    server = await PeopleServer.start();
    browsers = await Browsers.launch();
    other = await OtherSite.start();
    session = await server.addPerson(ann);
  });
  afterEach(async () => {
    expect(await browsers.closeAll()).toEqual([]);
    expect(other.opened).toEqual([]);
  });
  afterAll(() => Promise.all([browsers?.close(), other?.stop(), server?.stop()]));

  const open = async (path: string, { cookies = [] as readonly Cookie[], javaScriptEnabled = true } = {}) => {
    const page = await browsers.open([server.origin], { javaScriptEnabled });
    await page.context().addCookies(cookies);
    await page.goto(new URL(path, server.origin).href);
    return page;
  };
  const signIn = async (page: Page, given: { readonly email?: string; readonly password?: string } = {}) => {
    await page.getByLabel("E-mail").fill(given.email ?? ann);
    await page.getByLabel("Password").fill(given.password ?? password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  test.each([true, false])("leads to the account, and out again (JavaScript: %s)", async (javaScriptEnabled) => {
    const page = await open("/auth/account", { javaScriptEnabled });
    await shows(page, "Sign in");
    await signIn(page);
    await shows(page, "Your account");
    await page.getByText(`You are Ann Other (${ann}).`).waitFor();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await shows(page, "Sign in");
    await page.goBack();
    await shows(page, "Sign in");
    await page.goto(`${server.origin}/auth/account`);
    await shows(page, "Sign in");
  });

  test("is enough for the reference of the API, and for what a page of the server asks and calls", async () => {
    const page = await open("/api/reference", { cookies: session });
    await page.getByRole("link", { name: "file_list", exact: true }).first().waitFor();
    // A page without a policy of its own, for which Chromium asks for a picture.
    await page.route("**/favicon.ico", (route) => route.fulfill({ status: 204 }));
    await page.goto(`${server.origin}/healthz`);
    const asked = (path: string, init = {}) =>
      page.evaluate(
        `fetch(${JSON.stringify(path)}, ${JSON.stringify(init)}).then(async (response) => [response.status, await response.json()])`,
      );
    expect(await asked("/api/tools")).toMatchObject([
      200,
      { items: expect.arrayContaining([expect.objectContaining({ name: "file_list" })]) },
    ]);
    const call = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect(await asked("/api/tools/file_list/call", call)).toMatchObject([200, { status: "done", callId: expect.any(String) }]);
  });

  test.each([
    ["another site", { origin: "https://evil.example", "content-type": "application/json" }],
    ["another port of this machine", { origin: "http://127.0.0.1:1", "content-type": "application/json" }],
    ["a form", { "content-type": "text/plain" }],
    ["nobody knows where", { origin: "null", "content-type": "application/json" }],
  ])("is not enough for a call from %s", async (_, headers) => {
    const cookie = session.map(({ name, value }) => `${name}=${value}`).join("; ");
    const refused = await fetch(`${server.origin}/api/tools/file_list/call`, {
      method: "POST",
      headers: { cookie, ...headers },
      body: "{}",
    });
    expect([401, 403]).toContain(refused.status);
    expect(await refused.json()).not.toHaveProperty("callId");
  });

  test("takes the keyboard alone, and shows where it is", async () => {
    const page = await open("/auth/sign-in");
    const tab = async () => {
      await page.keyboard.press("Tab");
      return focused(page);
    };
    expect(await tab()).toEqual({ name: "E-mail", isVisible: true });
    await page.keyboard.type(ann);
    expect(await tab()).toEqual({ name: "Password", isVisible: true });
    await page.keyboard.type(password);
    expect(await tab()).toEqual({ name: "Sign in", isVisible: true });
    await page.keyboard.press("Enter");
    await shows(page, "Your account");
    expect(await tab()).toEqual({ name: "Sign out", isVisible: true });
    await page.keyboard.press("Enter");
    await shows(page, "Sign in");
  });

  test("with a wrong password says what to do, and keeps the e-mail", async () => {
    const page = await open("/auth/sign-in");
    await signIn(page, { password: "not the right one" });
    expect(await page.getByRole("alert").textContent()).toMatch(/E-mail or password is not right\. Try again.* ask the operator/);
    expect(await page.getByLabel("E-mail").inputValue()).toBe(ann);
    expect(await page.getByLabel("Password").inputValue()).toBe("");
    await page.getByLabel("Password").fill(password);
    await page.getByLabel("Password").press("Enter");
    await shows(page, "Your account");
  });

  test("keeps its cookies from scripts and from the forms of other sites", async () => {
    const page = await open("/auth/sign-in");
    await signIn(page);
    await shows(page, "Your account");
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name }) => name)).toContain("toolwright.session_token");
    for (const { name, httpOnly, sameSite } of cookies)
      expect({ name, httpOnly, sameSite }).toEqual({ name, httpOnly: true, sameSite: "Lax" });
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  test("follows no address of another site that was written into the link", async () => {
    const names = ["redirect", "redirect_uri", "redirect_to", "next", "return_to", "callbackURL", "oauth_query", "url"];
    const page = await open(
      `/auth/sign-in?${new URLSearchParams(Object.fromEntries(names.map((name) => [name, `${other.origin}/taken`])))}`,
    );
    await signIn(page);
    await shows(page, "This question is closed");
    expect(new URL(page.url()).origin).toBe(server.origin);
  });

  test("an invitation's link makes the account with a password, once", async () => {
    const link = await server.run("users", "invite", "bob@example.org");
    const page = await open(link);
    await page.getByText("You are invited to default as member, with the address bob@example.org.").waitFor();
    await page.getByLabel("Your name").fill("Bob <b>Builder</b>");
    await page.getByLabel(/^New password/).fill("short");
    await page.getByRole("button", { name: "Create account" }).click();
    expect(await page.getByLabel(/^New password/).evaluate((field: { validity: { tooShort: boolean } }) => field.validity.tooShort)).toBe(
      true,
    );
    await page.getByLabel(/^New password/).fill(next);
    await page.getByRole("button", { name: "Create account" }).click();
    await shows(page, "Your account");
    await page.getByText("You are Bob <b>Builder</b> (bob@example.org).").waitFor();
    const late = await open(link);
    await shows(late, "No such invitation");
    await late.goto(`${server.origin}/auth/sign-in`);
    await signIn(late, { email: "bob@example.org", password: next });
    await shows(late, "Your account");
  });

  test("somebody who is signed in accepts an invitation to another tenant with one button", async () => {
    await server.run("tenants", "create", "harbour", "--name", "Harbour Ltd");
    const link = await server.run("users", "invite", ann, "--tenant", "harbour", "--role", "viewer");
    const page = await open(link, { cookies: session });
    await page.getByRole("button", { name: "Accept" }).click();
    await shows(page, "Your account");
    await page.getByRole("listitem").filter({ hasText: "Harbour Ltd: viewer" }).waitFor();
  });

  test("a reset link sets a new password, once, and signs out everywhere else", async () => {
    const before = await open("/auth/account", { cookies: await server.addPerson("cat@example.org") });
    await shows(before, "Your account");
    const link = await server.run("users", "reset-password", "cat@example.org");
    const page = await open(link);
    await shows(page, "New password");
    await page.getByLabel(/^New password/).fill(next);
    await page.getByRole("button", { name: "Set password" }).click();
    await shows(page, "Your account");
    await before.reload();
    await shows(before, "Sign in");
    await signIn(before, { email: "cat@example.org" });
    await before.getByRole("alert").waitFor();
    await signIn(before, { email: "cat@example.org", password: next });
    await shows(before, "Your account");
    await before.goto(link);
    await shows(before, "No such link");
  });

  test("a person changes the password and ends other sessions on the account's page", async () => {
    const elsewhere = await open("/auth/account", { cookies: await server.addPerson("dan@example.org") });
    await shows(elsewhere, "Your account");
    const page = await open("/auth/sign-in");
    await signIn(page, { email: "dan@example.org" });
    await page.getByRole("button", { name: "Sign out everywhere else" }).click();
    await page.getByRole("button", { name: "Sign out everywhere else" }).waitFor({ state: "detached" });
    expect(await page.getByRole("status").textContent()).toBe("You are signed out everywhere else.");
    await elsewhere.reload();
    await shows(elsewhere, "Sign in");
    const change = async (current: string) => {
      await page.getByLabel("Current password").fill(current);
      await page.getByLabel(/^New password/).fill(next);
      await page.getByRole("button", { name: "Change password" }).click();
    };
    await change("not the right one");
    expect(await page.getByRole("alert").textContent()).toMatch(/is not right\. Try again/);
    await change(password);
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(await page.getByRole("status").textContent()).toBe("Your password is changed, and you are signed out everywhere else.");
    await signIn(elsewhere, { email: "dan@example.org", password: next });
    await shows(elsewhere, "Your account");
  });
});
