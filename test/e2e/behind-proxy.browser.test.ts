import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Browsers, browserWords, shows, whyNoBrowser } from "./browser.ts";
import { askForAccess, OtherSite, PeopleServer, password } from "./people.ts";
import { postFrom, TlsProxy } from "./tls-proxy.ts";

const ann = "ann@example.org";
/** Other machines are other addresses of loopback, which only Linux has without being told. */
const hasAddresses = process.platform === "linux";

describe.skipIf(whyNoBrowser)(`a server behind a proxy that speaks https${browserWords}`, () => {
  let proxy: TlsProxy;
  let server: PeopleServer;
  let browsers: Browsers;
  beforeAll(async () => {
    proxy = await TlsProxy.start();
    server = await PeopleServer.start({ TOOLWRIGHT_URL: proxy.origin, TOOLWRIGHT_TRUSTED_PROXIES: "127.0.0.1" });
    proxy.lead(server.listens);
    browsers = await Browsers.launch();
    await server.addPerson(ann);
  });
  afterEach(async () => {
    expect(await browsers.closeAll()).toEqual([]);
  });
  afterAll(() => Promise.all([browsers?.close(), server?.stop(), proxy?.stop()]));

  const open = async (path: string, origins: readonly string[] = []) => {
    const page = await browsers.open([proxy.origin, ...origins], { ignoreHTTPSErrors: true });
    await page.goto(new URL(path, proxy.origin).href);
    return page;
  };
  const signIn = async (page: Page, given = password) => {
    await page.getByLabel("E-mail").fill(ann);
    await page.getByLabel("Password").fill(given);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  test("says its public address, and leads people to their account with a cookie of that address alone", async () => {
    const page = await open("/");
    await page.getByText(`"url": "${proxy.origin}/mcp"`).waitFor();
    await page.getByRole("link", { name: "Your account" }).click();
    await signIn(page);
    await shows(page, "Your account");
    const cookies = await page.context().cookies();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) {
      expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: "Lax", path: "/", domain: "127.0.0.1" });
      expect(cookie.name).toMatch(/^__Host-toolwright/);
    }
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await shows(page, "Sign in");
    expect((await page.context().cookies()).filter(({ name }) => name.includes("session"))).toEqual([]);
  });

  test("gives a program access that a person allowed, and its calls come through", async () => {
    const home = await OtherSite.start();
    try {
      const program = await askForAccess(proxy.origin, `${home.origin}/callback`);
      const page = await open(program.question.href, [home.origin]);
      await signIn(page);
      await shows(page, "Allow access?");
      await page.getByRole("button", { name: "Allow" }).click();
      await shows(page, "Elsewhere");
      const tokens = await program.exchange(home.opened[0]?.searchParams as URLSearchParams);
      const client = new Client({ name: "notes", version: "1" });
      const requestInit = { headers: { authorization: `Bearer ${tokens?.access_token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${proxy.origin}/mcp`), { requestInit }));
      const listed = await client.callTool({ name: "file_list", arguments: { path: "." } });
      expect(listed.isError).not.toBe(true);
      await client.close();
    } finally {
      await home.stop();
    }
  });

  test.skipIf(!hasAddresses)("makes only those wait who try too often, whatever they say of themselves", async () => {
    const fields = { email: ann, password: "not the right one" };
    const tries = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        postFrom("127.0.0.2", `${proxy.origin}/auth/sign-in`, { fields, headers: { "x-forwarded-for": `192.0.2.${index}` } }),
      ),
    );
    expect(tries).toContain(429);
    const page = await open("/auth/sign-in");
    await signIn(page);
    await shows(page, "Your account");
    expect(JSON.parse(await server.run("users", "sessions", ann, "--json")).sessions).toContainEqual(
      expect.objectContaining({ address: "127.0.0.1" }),
    );
  });
});
