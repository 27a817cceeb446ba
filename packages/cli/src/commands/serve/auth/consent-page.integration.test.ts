import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../../../../test/browser.ts";
import { password, type ServedHere, serveHere } from "../../../../test/serve-here.ts";

/** Characters that hide, turn round or push: a right-to-left override, a zero-width space, a control character, and blanks. */
const odd = "Notes\u202e\u200b\u0007<b>          x";
const shownOdd = "Notes&lt;U+202E&gt;&lt;U+200B&gt;&lt;U+0007&gt;&lt;b&gt;&lt;10 spaces&gt;x";

describe("the page on which a person allows a program", () => {
  let server: ServedHere;
  let number = 0;
  beforeAll(async () => {
    server = await serveHere(["--auth"], { TOOLWRIGHT_TRUSTED_PROXIES: "127.0.0.1" });
    // Beside acme, which databases of tests have.
    await server.run("tenants", "create", "beta", "--name", "BETA");
  });
  afterAll(() => server.stop());

  const register = (name: string, redirect: string, more = {}) =>
    fetch(`${server.url}/auth/api/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": `192.0.2.${++number}` },
      body: JSON.stringify({ client_name: name, redirect_uris: [redirect], token_endpoint_auth_method: "none", ...more }),
    });
  /** What a program opens for the person. */
  async function question(name: string, redirect: string): Promise<URL> {
    const { client_id } = (await (await register(name, redirect)).json()) as { client_id: string };
    const asked = new URL(`${server.url}/auth/api/oauth2/authorize`);
    const challenge = createHash("sha256").update(randomBytes(32)).digest("base64url");
    const fields = { client_id, redirect_uri: redirect, response_type: "code", scope: "tools", state: "the-state" };
    for (const [field, value] of Object.entries({ ...fields, code_challenge: challenge, code_challenge_method: "S256" }))
      asked.searchParams.set(field, value);
    return asked;
  }
  const open = async (browser: Browser, asked: URL) => browser.follow(await browser.get(asked), server.url);
  async function allow(browser: Browser, asked: URL, { tenant = "default", ...more }: Readonly<Record<string, string>> = {}): Promise<URL> {
    const { url } = await open(browser, asked);
    const given = await browser.post(`${server.url}/auth/consent`, { oauth_query: url.search.slice(1), tenant, answer: "allow", ...more });
    return new URL(given.headers.get("location") ?? "", server.url);
  }
  const change = (asked: URL, fields: Readonly<Record<string, string>>) => {
    const changed = new URL(asked);
    for (const [field, value] of Object.entries(fields)) changed.searchParams.set(field, value);
    return changed;
  };
  const programsOf = async (email: string) =>
    JSON.parse(await server.run("users", "sessions", email, "--json")).programs as readonly {
      name: string;
      tenant: string;
      scopes: readonly string[];
    }[];

  it("says where the answer goes before anything that the program says of itself, and hides nothing of its name", async () => {
    const browser = await server.person("odd@example.org");
    const asked = await question(odd, "https://client.example/cb");
    const text = await (await open(browser, asked)).answer.text();
    expect(text.indexOf("The answer goes to <strong>client.example</strong>")).toBeGreaterThan(0);
    expect(text.indexOf("The answer goes to")).toBeLessThan(text.indexOf("calls itself"));
    expect(text).toContain(`calls itself <strong><bdi>${shownOdd}</bdi></strong> asks`);
    await allow(browser, asked);
    const account = await (await browser.get(`${server.url}/auth/account`)).text();
    expect(account).toContain(`<strong><bdi>${shownOdd}</bdi></strong> in default`);
    expect(account).toContain(`aria-label="Revoke access of ${shownOdd} in default"`);
    expect((await programsOf("odd@example.org"))[0]?.name).toBe("Notes<U+202E><U+200B><U+0007><b><10 spaces>x");
    expect(await server.run("users", "sessions", "odd@example.org")).not.toMatch(/[\u202e\u200b]/);
  });

  it("shows the scopes that a program gets, also one that names none", async () => {
    const browser = await server.person("scope@example.org");
    const asked = await question("Notes", "https://client.example/cb");
    asked.searchParams.delete("scope");
    const text = await (await open(browser, asked)).answer.text();
    const shown = text.match(/<li>/g)?.length;
    await allow(browser, asked);
    const { programs } = JSON.parse(await server.run("users", "sessions", "scope@example.org", "--json"));
    expect(programs).toHaveLength(1);
    expect(programs[0].scopes).toHaveLength(shown ?? 0);
    expect(shown).toBeGreaterThan(0);
  });

  it.each<{ ticked: Readonly<Record<string, string>>; scopes: readonly string[] }>([
    { ticked: {}, scopes: ["tools", "offline_access"] },
    { ticked: { approvals: "no" }, scopes: ["tools", "offline_access"] },
    { ticked: { approvals: "yes" }, scopes: ["tools", "approvals", "offline_access"] },
  ])("allows answers to approvals to who ticks them, and the rest without: $ticked", async ({ ticked, scopes }) => {
    const email = `ticks${++number}@example.org`;
    const browser = await server.person(email);
    const asked = change(await question("Notes", "https://client.example/cb"), { scope: "tools approvals offline_access" });
    const shown = await (await open(browser, asked)).answer.text();
    expect(shown).toContain('<input type="checkbox" id="approvals" name="approvals" value="yes">');
    expect((await allow(browser, asked, ticked)).searchParams.has("code")).toBe(true);
    expect((await programsOf(email))[0]?.scopes).toEqual(scopes);
    const account = await (await browser.get(`${server.url}/auth/account`)).text();
    expect(account.includes("answers approvals for you")).toBe(scopes.includes("approvals"));
  });

  it("takes a yes to answers alone that are not ticked for a no", async () => {
    const browser = await server.person("alone@example.org");
    const asked = change(await question("Notes", "https://client.example/cb"), { scope: "approvals" });
    expect(await (await open(browser, asked)).answer.text()).toContain('name="approvals" value="yes" required>');
    expect((await allow(browser, asked)).searchParams.get("error")).toBe("access_denied");
    expect(await programsOf("alone@example.org")).toEqual([]);
    expect((await allow(browser, asked, { approvals: "yes" })).searchParams.has("code")).toBe(true);
  });

  it("is left for another account, and asks that one", async () => {
    const browser = await server.person("first@example.org");
    await server.person("second@example.org");
    const asked = await question("Notes", "https://client.example/cb");
    const { url } = await open(browser, asked);
    const query = { oauth_query: url.search.slice(1) };
    const { url: entry, answer } = await browser.follow(await browser.post(`${server.url}/auth/sign-out`, query), server.url);
    expect(entry.pathname).toBe("/auth/sign-in");
    expect(await answer.text()).toContain("A program that calls itself <strong><bdi>Notes</bdi></strong> asks for access.");
    const given = { email: "second@example.org", password, oauth_query: entry.search.slice(1) };
    const { answer: shown } = await browser.follow(await browser.post(`${server.url}/auth/sign-in`, given), server.url);
    expect(await shown.text()).toContain("asks to act for you, second@example.org.");
  });

  it("names no program on the way that this server did not ask about, and breaks at no line break", async () => {
    const asked = await question("Notes", "https://client.example/cb");
    const entry = new URL(`${server.url}/auth/sign-in${(await open(new Browser(), asked)).url.search}`);
    expect(await (await fetch(entry)).text()).toContain("calls itself");
    entry.searchParams.set("state", "another");
    expect(await (await fetch(entry)).text()).not.toContain("calls itself");
    for (const path of ["sign-out", "consent"]) {
      const broken = await new Browser().post(`${server.url}/auth/${path}`, { oauth_query: "a=b\r\nset-cookie: c=d" });
      expect(broken.status).toBe(303);
      expect(broken.headers.get("location")).toBe("/auth/sign-in?a=b%0D%0Aset-cookie%3A+c%3Dd");
    }
  });

  it.each([
    { name: "the longest name", client: "n".repeat(100), more: {}, status: 201 },
    { name: "a longer name", client: "n".repeat(101), more: {}, status: 400 },
    { name: "a name of a page", client: "n".repeat(12_000), more: {}, status: 400 },
    { name: "a long address of its own", client: "Notes", more: { client_uri: `https://a.example/${"a".repeat(2_000)}` }, status: 400 },
    { name: "a long contact", client: "Notes", more: { contacts: ["a".repeat(2_001)] }, status: 400 },
    { name: "many contacts", client: "Notes", more: { contacts: Array(21).fill("a@b.example") }, status: 400 },
    { name: "large keys", client: "Notes", more: { jwks: { keys: [{ kty: "RSA", n: "a".repeat(2_000), e: "AQAB" }] } }, status: 400 },
  ])("is for programs with no more to say than a page has room for: $name", async ({ client, more, status }) => {
    const answer = await register(client, "http://127.0.0.1/cb", more);
    const said = await answer.json();
    expect({ status: answer.status, said }).toMatchObject(
      status === 201 ? { status } : { status, said: { error: "invalid_client_metadata", error_description: expect.any(String) } },
    );
  });

  it("keeps apart what a person allows two programs at the same moment", async () => {
    const email = "both@example.org";
    const browser = await server.person(email, { tenant: "acme" });
    const link = new URL(await server.run("users", "invite", email, "--tenant", "beta"));
    await browser.post(`${server.url}/auth/accept`, { token: link.searchParams.get("token") ?? "" });
    const wanted: { name: string; tenant: string }[] = [];
    for (let round = 0; round < 5; round++) {
      const pair = ["acme", "beta"].map((tenant) => ({ name: `${tenant} ${round}`, tenant }));
      wanted.push(...pair);
      const asked = await Promise.all(pair.map(({ name }) => question(name, `http://127.0.0.1:9/${round}`)));
      const given = await Promise.all(asked.map((each, index) => allow(browser, each, { tenant: pair[index]?.tenant ?? "" })));
      for (const back of given) expect(back.searchParams.has("code")).toBe(true);
    }
    const programs = await programsOf(email);
    expect(programs.map(({ name, tenant }) => ({ name, tenant })).sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      wanted.sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  });

  it.each([
    { place: "another port", registered: "http://127.0.0.1/cb", asks: "http://127.0.0.1:8080/cb" },
    { place: "the same port", registered: "http://localhost:9/cb", asks: "http://localhost:9/cb" },
    { place: "a scheme of its own", registered: "com.example.app:/cb", asks: "com.example.app:/cb" },
  ])("is shown each time to a program of the person's machine, with $place (RFC 8252 section 8.6)", async ({ registered, asks }) => {
    const email = `machine${++number}@example.org`;
    const browser = await server.person(email);
    const asked = await question("Notes", registered);
    expect((await allow(browser, asked)).searchParams.has("code")).toBe(true);
    const again = change(asked, { redirect_uri: asks });
    for (const prompt of ["", "consent", "login"]) {
      const { url } = await open(browser, prompt === "" ? again : change(again, { prompt }));
      expect(url.pathname).toBe(prompt === "login" ? "/auth/sign-in" : "/auth/consent");
    }
    const silent = (await open(browser, change(again, { prompt: "none" }))).url;
    expect(silent.href.startsWith(asks)).toBe(true);
    expect(Object.fromEntries(silent.searchParams)).toMatchObject({ error: "consent_required", state: "the-state" });
    expect((await allow(browser, again)).href.startsWith(`${asks}?code=`)).toBe(true);
    // Signing in on the way changes nothing.
    const elsewhere = new Browser();
    const { url } = await open(elsewhere, again);
    const entered = await elsewhere.post(`${server.url}/auth/sign-in`, { email, password, oauth_query: url.search.slice(1) });
    expect((await elsewhere.follow(entered, server.url)).url.pathname).toBe("/auth/consent");
  });

  it("is shown once to a program of the web, which nobody else can be", async () => {
    const browser = await server.person("web@example.org");
    const asked = await question("Notes", "https://client.example/cb");
    await allow(browser, asked);
    for (const again of [asked, change(asked, { prompt: "none" })])
      expect((await open(browser, again)).url.href).toMatch(/^https:\/\/client\.example\/cb\?code=/);
  });
});
