import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../../../../test/browser.ts";
import { password, type ServedHere, serveHere } from "../../../../test/serve-here.ts";

const next = "another long password";

describe("a person's account", () => {
  let server: ServedHere;
  beforeAll(async () => {
    server = await serveHere(["--auth"]);
  });
  afterAll(() => server.stop());

  const post = (browser: Browser, path: string, fields: Readonly<Record<string, string>> = {}) =>
    browser.post(`${server.url}/auth/${path}`, fields);
  const account = (browser: Browser) => browser.get(`${server.url}/auth/account`);
  const enter = async (email: string, given: string) => {
    const browser = new Browser();
    return { browser, status: (await post(browser, "sign-in", { email, password: given })).status };
  };

  it("gets a new password by the operator's link, which ends what was open", async () => {
    const before = await server.person("ann@example.org");
    const link = new URL(await server.run("users", "reset-password", "ann@example.org"));
    const token = link.searchParams.get("token") ?? "";
    const { session } = JSON.parse((await server.run("log", "sessions", "--json")).split("\n")[0] ?? "");
    const logged = await server.run("log", "show", session, "--json");
    expect(logged).toMatch(/"operation":"accounts\.reset".*"email":"ann@example\.org"/);
    expect(logged).not.toContain(token);
    const browser = new Browser();
    expect(await (await browser.get(`${server.url}${link.pathname}${link.search}`)).text()).toContain("ann@example.org");
    const short = await post(browser, "reset", { token, password: "short" });
    expect(short.status).toBe(400);
    expect(await short.text()).toContain("too short");
    expect((await post(browser, "reset", { token, password: next })).headers.get("location")).toBe("/auth/account");
    expect((await account(browser)).status).toBe(200);
    expect((await account(before)).headers.get("location")).toBe("/auth/sign-in");
    expect((await browser.get(`${server.url}/auth/reset?token=${token}`)).status).toBe(404);
    expect((await post(browser, "reset", { token, password: next })).status).toBe(404);
    expect((await enter("ann@example.org", password)).status).toBe(401);
  });

  it("changes its password with the one that it has, and stays signed in here alone", async () => {
    const browser = await server.person("bob@example.org");
    const { browser: elsewhere } = await enter("bob@example.org", password);
    const wrong = await post(browser, "password", { current: "not that one at all", password: next });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain("is not right");
    expect(await (await post(browser, "password", { current: password, password: "short" })).text()).toContain("too short");
    expect((await post(browser, "password", { current: password, password: next })).status).toBe(303);
    expect((await account(browser)).status).toBe(200);
    expect((await account(elsewhere)).status).toBe(303);
    expect((await enter("bob@example.org", next)).status).toBe(303);
  });

  it("sees where it is signed in, and ends the others", async () => {
    const browser = await server.person("cat@example.org");
    const { browser: elsewhere } = await enter("cat@example.org", password);
    expect(await (await account(browser)).text()).toContain("Sign out everywhere else");
    await post(browser, "sessions");
    expect((await account(elsewhere)).status).toBe(303);
    const left = await (await account(browser)).text();
    expect(left).toContain("(this browser)");
    expect(left).not.toContain("Sign out everywhere else");
  });

  it("is signed out by the operator, who sees where it was", async () => {
    const browser = await server.person("dan@example.org");
    const { sessions } = JSON.parse(await server.run("users", "sessions", "dan@example.org", "--json"));
    expect(sessions).toMatchObject([{ address: "127.0.0.1" }]);
    await server.run("users", "sign-out", "dan@example.org");
    expect((await account(browser)).status).toBe(303);
    expect(await server.run("users", "sessions", "dan@example.org")).toBe("Nowhere signed in.");
  });

  it("takes nothing from a stranger: no session, no change", async () => {
    const stranger = new Browser();
    for (const path of ["password", "withdraw"]) {
      const answer = await post(stranger, path, { current: password, password: next, client: "x", tenant: "default" });
      expect(answer.headers.get("location")).toBe("/auth/sign-in");
    }
  });

  it.each([["reset-password"], ["sessions"], ["sign-out"]])("answers users %s for who is not there with what to do", async (command) => {
    await expect(server.run("users", command, "nobody@example.org")).rejects.toThrow(
      /no account with the address nobody@example\.org.*users list/,
    );
  });
});
