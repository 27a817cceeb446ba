import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Browsers, browserWords, focused, shows, whyNoBrowser } from "./browser.ts";
import { type AskingProgram, askForAccess, OtherSite, PeopleServer, password } from "./people.ts";

const ann = "ann@example.org";

describe.skipIf(whyNoBrowser)(`a program that asks for access, in a browser${browserWords}`, () => {
  let server: PeopleServer;
  let browsers: Browsers;
  /** Where the program waits for the answer. */
  let home: OtherSite;
  let stranger: OtherSite;
  let program: AskingProgram;
  beforeAll(async () => {
    server = await PeopleServer.start();
    browsers = await Browsers.launch();
    await server.addPerson(ann);
  });
  beforeEach(async () => {
    [home, stranger] = await Promise.all([OtherSite.start(), OtherSite.start()]);
    program = await askForAccess(server.origin, `${home.origin}/callback`);
  });
  afterEach(async () => {
    const troubles = await browsers.closeAll();
    await Promise.all([home.stop(), stranger.stop()]);
    expect(troubles).toEqual([]);
    expect(stranger.opened).toEqual([]);
  });
  afterAll(() => Promise.all([browsers?.close(), server?.stop()]));

  /** A person follows the program's link, and signs in first. */
  const open = async (question: URL, options = {}) => {
    const page = await browsers.open([server.origin, home.origin], options);
    await page.goto(question.href);
    await signIn(page);
    return page;
  };
  const signIn = async (page: Page) => {
    await page.getByLabel("E-mail").fill(ann);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  /** What came back to the program. */
  const answer = (): URLSearchParams => {
    expect(home.opened.map(({ pathname }) => pathname)).toEqual(["/callback"]);
    return home.opened[0]?.searchParams as URLSearchParams;
  };

  test.each([true, false])("gets a code that is good for a token when the person allows it (JavaScript: %s)", async (javaScriptEnabled) => {
    const page = await open(program.question, { javaScriptEnabled });
    await shows(page, "Allow access?");
    await page.getByText("A program that calls itself Notes asks to act for you, ann@example.org.").waitFor();
    await page.getByText(`The answer goes to ${new URL(home.origin).host}.`).waitFor();
    expect(await page.getByRole("listitem").allTextContents()).toEqual([
      "use the tools that you may use",
      "keep this access without asking again, until you revoke it",
    ]);
    expect(await page.getByLabel("Also let it answer approvals for you").isChecked()).toBe(false);
    expect(await page.getByLabel("In the tenant").inputValue()).toBe("default");
    await page.getByRole("button", { name: "Allow" }).click();
    await shows(page, "Elsewhere");
    const back = answer();
    expect(Object.fromEntries(back)).toMatchObject({ state: "the-state", iss: `${server.origin}/auth/api` });
    expect(await program.exchange(back)).toMatchObject({ access_token: expect.stringMatching(/^twa_/), refresh_token: expect.any(String) });
    expect(home.referrers).toEqual([undefined]);
  });

  test("gets access_denied and no code when the person denies it", async () => {
    const page = await open(program.question);
    await page.getByRole("button", { name: "Deny" }).click();
    await shows(page, "Elsewhere");
    expect(answer().get("error")).toBe("access_denied");
    expect(answer().has("code")).toBe(false);
  });

  test("is answered by keyboard alone, from signing in on", async () => {
    const page = await browsers.open([server.origin, home.origin]);
    await page.goto(program.question.href);
    const tab = async () => {
      await page.keyboard.press("Tab");
      return focused(page);
    };
    await tab();
    await page.keyboard.type(ann);
    await tab();
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await shows(page, "Allow access?");
    expect(await tab()).toEqual({ name: "Also let it answer approvals for you", isVisible: true });
    expect(await tab()).toEqual({ name: "In the tenant", isVisible: true });
    expect(await tab()).toEqual({ name: "Allow", isVisible: true });
    expect(await tab()).toEqual({ name: "Deny", isVisible: true });
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await shows(page, "Elsewhere");
    expect(answer().has("code")).toBe(true);
  });

  test("is listed on the account's page, where the person takes its access back", async () => {
    const name = "Program to take back";
    const page = await open((await askForAccess(server.origin, `${home.origin}/callback`, name)).question);
    await page.getByRole("button", { name: "Allow" }).click();
    await shows(page, "Elsewhere");
    await page.goto(`${server.origin}/auth/account`);
    await page.getByRole("button", { name: `Revoke access of ${name} in default` }).click();
    await page.getByText(name).waitFor({ state: "detached" });
    await shows(page, "Your account");
  });

  test("gets no answer at an address that it did not register", async () => {
    const question = new URL(program.question);
    question.searchParams.set("redirect_uri", `${stranger.origin}/taken`);
    const page = await browsers.open([server.origin]);
    await page.goto(question.href);
    await shows(page, "Access not granted");
    expect(new URL(page.url()).origin).toBe(server.origin);
  });

  test("asks nothing when somebody changes the address of the page that asks", async () => {
    const page = await open(program.question);
    await shows(page, "Allow access?");
    const changed = new URL(page.url());
    changed.searchParams.set("redirect_uri", `${stranger.origin}/callback`);
    await page.goto(changed.href);
    await shows(page, "This question is closed");
    expect(await page.getByRole("button").count()).toBe(0);
    expect(home.opened).toEqual([]);
  });

  test("whose question is not open any more is no wrong password", async () => {
    const page = await browsers.open([server.origin]);
    await page.goto(program.question.href);
    const late = new URL(page.url());
    late.searchParams.set("exp", "1");
    await page.goto(late.href);
    await signIn(page);
    await shows(page, "This question is closed");
    await page.getByText("Start again in the program.").waitFor();
  });
});
