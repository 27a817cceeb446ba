import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../../../../test/browser.ts";
import { type Claims, type OidcServerHere, startOidcServer } from "../../../../test/oidc-server.ts";
import { type ServedHere, serveHere } from "../../../../test/serve-here.ts";

const ann: Claims = { sub: "1", email: "ann@example.org", email_verified: true, name: "Ann" };

describe("signing in with an OpenID Connect server", () => {
  let server: ServedHere;
  let other: OidcServerHere;
  let number = 0;
  beforeAll(async () => {
    other = await startOidcServer(ann);
    const env = {
      TOOLWRIGHT_OIDC_ISSUER: other.issuer,
      TOOLWRIGHT_OIDC_CLIENT_ID: other.clientId,
      TOOLWRIGHT_OIDC_CLIENT_SECRET: other.clientSecret,
      TOOLWRIGHT_OIDC_NAME: "Example Id",
      TOOLWRIGHT_TRUSTED_PROXIES: "127.0.0.1",
    };
    server = await serveHere(["--auth"], env);
  });
  afterAll(async () => {
    await server.stop();
    await other.stop();
  });

  /** Presses the button, and goes wherever both servers send the person. */
  async function signIn(claims: Claims, browser = new Browser(), fields: Readonly<Record<string, string>> = {}) {
    other.claims = claims;
    // Each from an address of its own: the limit of attempts is not the subject.
    const pressed = await browser.post(`${server.url}/auth/oidc`, fields, { "x-forwarded-for": `198.51.100.${++number}` });
    const asked = new URL(pressed.headers.get("location") ?? "", server.url);
    expect(asked.origin).toBe(other.issuer);
    const back = await fetch(asked, { redirect: "manual" });
    return browser.follow(await browser.get(back.headers.get("location") ?? ""), server.url);
  }

  it("offers it on the page", async () => {
    expect(await (await fetch(`${server.url}/auth/sign-in`)).text()).toContain("Sign in with Example Id");
  });

  it("lets in who was invited, as what they were invited as, and again later", async () => {
    await server.run("users", "invite", ann.email, "--role", "admin");
    const { answer, url } = await signIn(ann);
    expect(url.pathname).toBe("/auth/account");
    const account = await answer.text();
    expect(account).toContain("<bdi>Default</bdi></strong>: admin");
    expect(account).toContain("You sign in with Example Id. There is no password here to change.");
    expect(account).not.toContain('type="password"');
    expect((await signIn(ann)).url.pathname).toBe("/auth/account");
    expect(await server.run("users", "list")).toMatch(/ann@example.org +admin/);
  });

  it("leads back to the page of this server that was asked for, also after it went wrong", async () => {
    const asked = "/tools/exec?tab=json&call=call_1#end";
    const shown = await (await fetch(`${server.url}/auth/sign-in?return=${encodeURIComponent(asked)}`)).text();
    expect(shown.match(/name="return_to" value="\/tools\/exec\?tab=json&amp;call=call_1#end"/g)).toHaveLength(2);
    const { url } = await signIn(ann, new Browser(), { return_to: asked });
    expect(`${url.pathname}${url.search}${url.hash}`).toBe(asked);
    const stranger = await signIn({ ...ann, sub: "7", email: "other@example.org" }, new Browser(), { return_to: asked });
    expect(stranger.url.pathname).toBe("/auth/error");
    expect(await stranger.answer.text()).toContain(`<a href="/auth/sign-in?return=${encodeURIComponent(asked)}">Sign in</a>`);
  });

  it.each(["//evil.example/", "/\\evil.example", "https://evil.example/", "/\t/evil.example", "javascript:alert(1)", "@evil.example"])(
    "leads to the account and nowhere else from %j",
    async (elsewhere) => {
      const shown = await (await fetch(`${server.url}/auth/sign-in?return=${encodeURIComponent(elsewhere)}`)).text();
      expect(shown).not.toContain("evil.example");
      expect(shown).not.toContain("return_to");
      const { url } = await signIn(ann, new Browser(), { return_to: elsewhere });
      expect(url.href).toBe(`${server.url}/auth/account`);
      const error = await fetch(`${server.url}/auth/error?error=no_tenant&return=${encodeURIComponent(elsewhere)}`);
      expect(await error.text()).toContain('<a href="/auth/sign-in">Sign in</a>');
    },
  );

  it.each([
    { name: "nobody invited", claims: { ...ann, sub: "2", email: "stranger@example.org" }, invite: false },
    {
      name: "whose address the other server has not checked",
      claims: { ...ann, sub: "3", email: "maybe@example.org", email_verified: false },
      invite: true,
    },
  ])("keeps out who $name", async ({ claims, invite }) => {
    if (invite) await server.run("users", "invite", claims.email);
    const browser = new Browser();
    expect((await signIn(claims, browser)).url.pathname).toBe("/auth/error");
    expect((await browser.get(`${server.url}/auth/account`)).headers.get("location")).toBe("/auth/sign-in");
    expect(await server.run("users", "list")).not.toMatch(new RegExp(`${claims.email} +member +since`));
  });

  it.each(["issuer", "audience", "nonce", "signature", "expired"] as const)("takes no identity with a wrong %s", async (wrong) => {
    const browser = new Browser();
    expect((await signIn({ ...ann, wrong }, browser)).url.pathname).toBe("/auth/error");
    expect((await browser.get(`${server.url}/auth/account`)).headers.get("location")).toBe("/auth/sign-in");
  });

  it("believes the userinfo endpoint about the subject of the ID token, and about nobody else", async () => {
    const bea = { ...ann, sub: "5", email: "bea@example.org" };
    await server.run("users", "invite", bea.email);
    expect((await signIn({ ...bea, userinfoSubject: "6" })).url.pathname).toBe("/auth/error");
    expect((await signIn({ ...bea, userinfoSubject: "5" })).url.pathname).toBe("/auth/account");
    expect(await server.run("users", "list")).toMatch(/bea@example.org +member/);
  });

  it("does not hand an account with a password to who has the same address elsewhere", async () => {
    await server.person("carl@example.org", { role: "owner" });
    const browser = new Browser();
    expect((await signIn({ ...ann, sub: "4", email: "carl@example.org" }, browser)).url.pathname).toBe("/auth/error");
    expect((await browser.get(`${server.url}/auth/account`)).headers.get("location")).toBe("/auth/sign-in");
  });

  it("makes who presses it too often wait, and nobody else behind the same proxy", async () => {
    const press = (from: string) => new Browser().post(`${server.url}/auth/oidc`, {}, { "x-forwarded-for": from });
    for (let attempt = 0; attempt < 20; attempt++) await press("192.0.2.7");
    const late = await press("192.0.2.7");
    expect(late.status).toBe(429);
    expect(await late.text()).toMatch(/Too many attempts from your address\. Wait/);
    expect((await press("192.0.2.8")).headers.get("location")).toContain(other.issuer);
  });

  it("tells programs that register too often when to come again", async () => {
    const register = () =>
      fetch(`${server.url}/auth/api/oauth2/register`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": "192.0.2.9" },
        body: JSON.stringify({ redirect_uris: ["http://127.0.0.1:9/"], token_endpoint_auth_method: "none" }),
      });
    for (let attempt = 0; attempt < 20; attempt++) expect(await (await register()).text()).toContain("client_id");
    const late = await register();
    expect(late.status).toBe(429);
    expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("takes an answer only in the browser that asked", async () => {
    other.claims = ann;
    const pressed = await new Browser().post(`${server.url}/auth/oidc`, {});
    const back = await fetch(pressed.headers.get("location") ?? "", { redirect: "manual" });
    const elsewhere = new Browser();
    await elsewhere.follow(await elsewhere.get(back.headers.get("location") ?? ""), server.url);
    expect((await elsewhere.get(`${server.url}/auth/account`)).headers.get("location")).toBe("/auth/sign-in");
  });
});
