import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../../../../test/browser.ts";
import { password, type ServedHere, serveHere } from "../../../../test/serve-here.ts";

describe("signing in", () => {
  let server: ServedHere;
  beforeAll(async () => {
    server = await serveHere(["--auth"]);
  });
  afterAll(() => server.stop());

  const signIn = (browser: Browser, email: string, given = password, headers = {}) =>
    browser.post(`${server.url}/auth/sign-in`, { email, password: given }, headers);

  it("makes the account of who was invited, signs them in, and takes the link once", async () => {
    const link = new URL(await server.run("users", "invite", "ann@example.org", "--role", "owner"));
    const token = link.searchParams.get("token") ?? "";
    const browser = new Browser();
    const opened = await browser.get(`${server.url}/auth/accept?token=${token}`);
    expect(await opened.text()).toContain("ann@example.org");
    const made = await browser.post(`${server.url}/auth/accept`, { token, name: "Ann <b>", password });
    expect(made.headers.get("location")).toBe("/auth/account");
    expect(await (await browser.get(`${server.url}/auth/account`)).text()).toContain("Ann &lt;b&gt; (ann@example.org)");
    expect((await browser.get(`${server.url}/auth/accept?token=${token}`)).status).toBe(404);
    expect(await server.run("users", "list")).toMatch(/ann@example.org +owner/);
  });

  it.each([
    { name: "a short password", fields: { password: "short" }, words: "too short" },
    { name: "a link that is none", fields: { token: "none" }, words: "No such invitation" },
  ])("makes no account with $name", async ({ fields, words }) => {
    const link = new URL(await server.run("users", "invite", "eve@example.org"));
    const token = link.searchParams.get("token") ?? "";
    const made = await new Browser().post(`${server.url}/auth/accept`, { token, name: "Eve", password, ...fields });
    expect(made.status).toBeGreaterThanOrEqual(400);
    expect(await made.text()).toContain(words);
  });

  it("knows the right password from a wrong one, and an unknown address answers like a wrong password", async () => {
    await server.person("bob@example.org");
    const right = await signIn(new Browser(), "bob@example.org");
    expect(right.status).toBe(303);
    const cookie = right.headers.getSetCookie().find((each) => each.includes("session_token")) ?? "";
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect(cookie).toMatch(/Path=\//i);
    const wrong = await signIn(new Browser(), "bob@example.org", "wrong password 1");
    const unknown = await signIn(new Browser(), "nobody@example.org", "wrong password 1");
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect((await wrong.text()).replace("bob@", "nobody@")).toBe(await unknown.text());
  });

  it("calls no password wrong when it is the question of a program that is too old", async () => {
    const fields = { email: "bob@example.org", password, oauth_query: "client_id=none&exp=1&sig=none" };
    for (const path of ["sign-in", "oidc"]) {
      const late = await new Browser().post(`${server.url}/auth/${path}`, fields);
      expect(late.status).toBe(400);
      expect(await late.text()).toContain("It is too old, or its address was changed. Start again in the program.");
    }
  });

  it("ends a session when the person signs out", async () => {
    const browser = await server.person("out@example.org");
    const kept = new Browser();
    for (const [name, value] of browser.cookies) kept.cookies.set(name, value);
    expect((await kept.get(`${server.url}/auth/account`)).status).toBe(200);
    await browser.post(`${server.url}/auth/sign-out`, {});
    expect((await kept.get(`${server.url}/auth/account`)).headers.get("location")).toBe("/auth/sign-in");
  });

  it("lets a person choose among their tenants, with what they may there, and nobody another's", async () => {
    for (const tenant of ["harbour", "closed", "foreign"]) await server.run("tenants", "create", tenant, "--name", `${tenant} Ltd`);
    const browser = await server.person("two@example.org");
    for (const tenant of ["harbour", "closed"]) {
      const link = new URL(await server.run("users", "invite", "two@example.org", "--tenant", tenant, "--role", "viewer"));
      await browser.post(`${server.url}/auth/accept`, { token: link.searchParams.get("token") ?? "" });
    }
    await server.run("tenants", "suspend", "closed");
    const actsAs = async () => (await browser.get(`${server.url}/api/me`)).json();
    const before = await actsAs();
    expect(before).toMatchObject({ tenant: "default" });
    for (const tenant of ["foreign", "closed", "nowhere", "", "HARBOUR"]) {
      const refused = await browser.post(`${server.url}/auth/tenant`, { tenant });
      expect([tenant, refused.status]).toEqual([tenant, 400]);
      expect(await refused.text()).toContain("You do not belong to that tenant, or it is suspended.");
      expect(await actsAs()).toEqual(before);
    }
    const list = async (who = browser) => (await who.get(`${server.url}/auth/person`)).json();
    expect(await list()).toEqual({
      name: "A person",
      tenants: [
        { tenant: "default", name: "Default" },
        { tenant: "harbour", name: "harbour Ltd" },
      ],
    });
    const chosen = await browser.post(`${server.url}/auth/tenant`, { tenant: "harbour" });
    expect(chosen.headers.get("location")).toBe("/auth/account?done=tenant");
    const after = (await actsAs()) as { readonly permissions: readonly string[] };
    expect(after).toMatchObject({ tenant: "harbour" });
    // A member of the one tenant is a viewer in the other.
    expect(after.permissions).not.toContain("files.tenant.write");
    await server.run("users", "remove", "two@example.org", "--tenant", "harbour");
    const left = await browser.get(`${server.url}/api/me`);
    expect(left.status).toBe(401);
    expect(await left.text()).toContain("You do not belong to the tenant harbour any more, or it is suspended.");
    const account = await (await browser.get(`${server.url}/auth/account`)).text();
    expect(account).toContain("Choose the tenant that you act in.");
    expect(account).not.toContain("harbour");
    expect(await list(new Browser())).toBeNull();
    expect((await new Browser().post(`${server.url}/auth/tenant`, { tenant: "default" })).headers.get("location")).toBe("/auth/sign-in");
  });

  it.each([
    { name: "another site", headers: { origin: "https://evil.example" } },
    { name: "another port of this machine", headers: { origin: "http://127.0.0.1:1" } },
    { name: "a sandboxed frame", headers: { origin: "null" } },
  ])("refuses a form that $name sent (R-UI-3)", async ({ headers }) => {
    const browser = await server.person(`csrf${Math.random()}@example.org`);
    for (const path of ["sign-in", "sign-out", "consent", "accept", "oidc", "reset", "password", "sessions", "withdraw", "tenant"])
      expect((await browser.post(`${server.url}/auth/${path}`, {}, headers)).status, path).toBe(403);
    expect((await browser.get(`${server.url}/auth/account`)).status).toBe(200);
  });

  it("serves no more of the library than it needs", async () => {
    const browser = await server.person("narrow@example.org");
    for (const path of [
      "sign-up/email",
      "update-user",
      "delete-user",
      "list-sessions",
      "sign-in/email",
      "oauth2/create-client",
      "admin/oauth2/resources",
      "ok",
    ])
      for (const method of ["GET", "POST"]) {
        const headers = { "content-type": "application/json", origin: server.url };
        const answer = await fetch(`${server.url}/auth/api/${path}`, { method, headers, ...(method === "POST" && { body: "{}" }) });
        expect({ path, method, status: answer.status }).toEqual({ path, method, status: 404 });
      }
    expect((await browser.get(`${server.url}/auth/account`)).status).toBe(200);
  });

  it("is served under its own name alone, and says so to whoever comes by another (R-MC-2)", async () => {
    const other = server.url.replace("127.0.0.1", "localhost");
    for (const path of ["/auth/sign-in", "/.well-known/oauth-authorization-server/auth/api", "/.well-known/oauth-protected-resource/mcp"]) {
      const refused = await fetch(`${other}${path}`);
      expect(refused.status, path).toBe(403);
      expect(await refused.text()).toMatch(/is at http:\/\/127\.0\.0\.1:\d+, and the request was for localhost:\d+\. A proxy in between/);
    }
  });

  it("sends pages that run no script and fit in no frame (R-UI-2)", async () => {
    const { headers } = await fetch(`${server.url}/auth/sign-in`);
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers.get("content-security-policy")).not.toContain("script-src");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    // With "no-referrer" browsers send our own forms with the origin "null", which is refused.
    expect(headers.get("referrer-policy")).toBe("same-origin");
  });

  it("lets nobody use the tools who has not signed in, on this machine either", async () => {
    expect((await fetch(`${server.url}/mcp`, { method: "POST", body: "{}" })).status).toBe(401);
  });

  it("slows down whoever tries passwords, whatever address they claim to have", async () => {
    const guess = (attempt: number) =>
      signIn(new Browser(), "bob@example.org", `guess number ${attempt}`, {
        "x-toolwright-address": `10.0.0.${attempt}`,
        "x-forwarded-for": `10.0.0.${attempt}`,
      });
    for (let attempt = 0; attempt < 20; attempt++) await guess(attempt);
    const late = await guess(20);
    expect(late.status).toBe(429);
    expect(await late.text()).toMatch(/Too many attempts from your address\. Wait \d\d? seconds?, then try again\./);
  });
});
