import { auth, type StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../../../test/browser.ts";
import { Program } from "../../../../test/oauth-program.ts";
import { type ServedHere, serveHere } from "../../../../test/serve-here.ts";

/** As widespread programs describe themselves, or did before their libraries learned of `application_type` (SEP-837). */
const common = {
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
};
const programs = [
  { name: "waits on this machine under a name", redirect_uris: ["http://localhost:53999/callback"], type: "native" },
  { name: "waits on this machine under its address", redirect_uris: ["http://127.0.0.1:19876/mcp/oauth/callback"], type: "native" },
  { name: "waits on this machine by IPv6", redirect_uris: ["http://[::1]:3334/oauth/callback"], type: "native" },
  {
    name: "waits here or on the web",
    redirect_uris: ["https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"],
    type: "native",
  },
  { name: "has a scheme of its own", redirect_uris: ["com.example.app:/callback"], type: "native" },
  {
    name: "says web, and waits on this machine",
    redirect_uris: ["http://localhost:8787/callback"],
    application_type: "web",
    type: "native",
  },
  {
    name: "says web, and has a scheme of its own with a host (better-auth #10946)",
    redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"],
    application_type: "web",
    type: "native",
  },
  { name: "is on the web", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"], type: "web" },
  { name: "asks for a scope that is not known here", redirect_uris: ["https://claude.ai/callback"], scope: "claudeai openid", type: "web" },
];

describe("programs that register themselves", () => {
  let server: ServedHere;
  let ann: Browser;
  beforeAll(async () => {
    server = await serveHere(["--auth"], { TOOLWRIGHT_TRUSTED_PROXIES: "127.0.0.1" });
    ann = await server.person("ann@example.org");
  });
  afterAll(() => server.stop());

  let clients = 0;
  /** Each from an address of its own: one may register twenty a minute. */
  const send = (body: string) =>
    fetch(`${server.url}/auth/api/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": `192.0.2.${++clients}` },
      body,
    });
  const register = (metadata: object) => send(JSON.stringify({ client_name: "Notes", ...common, ...metadata }));

  it.each(programs)("are taken when one $name, and get a token for the person", async ({ name: _, type, redirect_uris, ...more }) => {
    const answer = await register({ redirect_uris, ...more });
    const registered = (await answer.json()) as StoredOAuthClientInformation & Record<string, unknown>;
    expect({ status: answer.status, ...registered }).toMatchObject({ status: 201, redirect_uris, application_type: type });
    const redirectUrl = redirect_uris.at(-1) ?? "";
    const program = new Program({ redirectUrl, information: { ...registered, issuer: `${server.url}/auth/api` } });
    expect(await auth(program, { serverUrl: `${server.url}/mcp` })).toBe("REDIRECT");
    const consent = await ann.follow(await ann.get(program.asked as URL), server.url);
    expect(consent.url.pathname).toBe("/auth/consent");
    const { protocol, host } = new URL(redirectUrl);
    expect(await consent.answer.text()).toContain(
      /^https?:$/.test(protocol) ? `<strong>${host}</strong>` : `that opens ${protocol} addresses`,
    );
    const given = { oauth_query: consent.url.search.slice(1), tenant: "default", answer: "allow" };
    const back = new URL((await ann.post(`${server.url}/auth/consent`, given)).headers.get("location") ?? "");
    expect(back.href.startsWith(redirectUrl)).toBe(true);
    await auth(program, {
      serverUrl: `${server.url}/mcp`,
      authorizationCode: back.searchParams.get("code") ?? "",
      iss: back.searchParams.get("iss") ?? "",
    });
    expect(program.saved).toMatchObject({ access_token: expect.stringMatching(/^twa_/) });
  });

  it.each([
    { name: "a script", redirect_uris: ["javascript:alert(1)"] },
    { name: "a script among others", redirect_uris: ["http://127.0.0.1/", "javascript:alert(1)"] },
    { name: "an address of the web that is not encrypted", redirect_uris: ["http://evil.example/callback"] },
    { name: "a name that only begins like this machine's", redirect_uris: ["http://localhost.evil.example/"] },
    { name: "a name that reads like this machine's", redirect_uris: ["http://127.0.0.1@evil.example/"] },
    { name: "a program of the system", redirect_uris: ["ms-settings://display"] },
    { name: "a scheme with a host that nobody named", redirect_uris: ["evil://anysphere.cursor-mcp/oauth/callback"] },
    { name: "a fragment behind a known scheme", redirect_uris: ["cursor://anysphere.cursor-mcp/#x"] },
    { name: "a name and password before a known host", redirect_uris: ["cursor://a:b@anysphere.cursor-mcp/"] },
    { name: "a script beside a known scheme", redirect_uris: ["cursor://anysphere.cursor-mcp/", "data:text/html,x"] },
    { name: "nothing", redirect_uris: [] },
    { name: "no list", redirect_uris: "http://127.0.0.1/" },
    { name: "the web, as a program of this machine", redirect_uris: ["http://127.0.0.1/", "https://a.example/"], application_type: "web" },
  ])("are refused when they wait at $name", async ({ name: _, ...metadata }) => {
    const answer = await register(metadata);
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain("client_id");
  });

  it.each([
    ["no JSON", "{", 400],
    ["a list", "[]", 400],
    ["more than is read (R-MC-9)", JSON.stringify({ ...common, client_name: "x".repeat(70_000) }), 413],
  ])("are refused when they send %s", async (_, body, status) => {
    expect((await send(body)).status).toBe(status);
  });

  it("are cut off when what they send does not end (R-MC-9)", async () => {
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new TextEncoder().encode(" ".repeat(1_000))) });
    const headers = { "content-type": "application/json" };
    const sent = fetch(`${server.url}/auth/api/oauth2/register`, { method: "POST", headers, body: endless, duplex: "half" } as RequestInit);
    expect(await sent.then(({ status }) => status)).toBe(413);
  });
});
