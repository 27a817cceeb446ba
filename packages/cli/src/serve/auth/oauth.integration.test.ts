import { createServer } from "node:http";
import {
  auth,
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../../test/browser.ts";
import { type ServedHere, serveHere } from "../../../test/serve-here.ts";

const redirectUrl = "http://127.0.0.1:9/callback";

/** What a program on somebody's machine keeps, and where it sends the person. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl;
  readonly clientMetadata = { client_name: "Notes <app>", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" };
  information: StoredOAuthClientInformation | undefined;
  saved: StoredOAuthTokens | undefined;
  verifier = "";
  discovery: OAuthDiscoveryState | undefined;
  asked: URL | undefined;

  constructor(information?: StoredOAuthClientInformation) {
    this.information = information;
  }

  state = () => "the-state";
  clientInformation = () => this.information;
  tokens = () => this.saved;
  codeVerifier = () => this.verifier;
  discoveryState = () => this.discovery;
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.discovery = state;
  }
  saveClientInformation(information: StoredOAuthClientInformation) {
    this.information = information;
  }
  saveTokens(tokens: StoredOAuthTokens) {
    this.saved = tokens;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  redirectToAuthorization(url: URL) {
    this.asked = url;
  }
}

describe("OAuth for MCP clients", () => {
  let server: ServedHere;
  /** A client that is known already. */
  let known: StoredOAuthClientInformation | undefined;
  /** A person for those tests that change nothing of them. */
  let ann: Browser;
  beforeAll(async () => {
    server = await serveHere(["--auth"]);
    const program = new Program();
    await auth(program, { serverUrl: mcp() });
    known = program.information;
    ann = await server.person("ann@example.org", { role: "owner" });
    await server.run("tenants", "create", "acme", "--name", "Acme");
  });
  afterAll(() => server.stop());

  const mcp = () => new URL(`${server.url}/mcp`);

  /** What the person sees, and what comes back when they answer. */
  async function answer(browser: Browser, asked: URL, fields: Readonly<Record<string, string>> = { answer: "allow", tenant: "default" }) {
    const { answer: shown, url } = await browser.follow(await browser.get(asked), server.url);
    if (url.origin !== server.url) return { text: "", back: url };
    const text = await shown.text();
    const given = await browser.post(`${server.url}/auth/consent`, { oauth_query: url.search.slice(1), ...fields });
    return { text, back: (await browser.follow(given, server.url)).url };
  }

  /** A program to which a person gave access. */
  async function connected(browser: Browser, scope?: string): Promise<Program> {
    const program = new Program(known);
    await auth(program, { serverUrl: mcp(), ...(scope !== undefined && { scope }) });
    const { back } = await answer(browser, program.asked as URL);
    const { code: authorizationCode = "", iss = "" } = Object.fromEntries(back.searchParams);
    await auth(program, { serverUrl: mcp(), authorizationCode, iss });
    return program;
  }

  const status = async (token: string, path = "") => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const answered = await fetch(`${server.url}/mcp${path}`, { method: "POST", headers, body: "{}" });
    return answered.status;
  };

  it("says to a client that knows only the address where to go (RFC 9728)", async () => {
    const refused = await fetch(mcp(), { method: "POST", body: "{}" });
    const challenge = refused.headers.get("www-authenticate") ?? "";
    expect(challenge).toContain('scope="tools"');
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
    expect(metadataUrl).toBe(`${server.url}/.well-known/oauth-protected-resource/mcp`);
    const resource = await (await fetch(metadataUrl)).json();
    expect(resource).toMatchObject({
      resource: mcp().href,
      authorization_servers: [`${server.url}/auth/api`],
      bearer_methods_supported: ["header"],
    });
    const metadata = await (await fetch(`${server.url}/.well-known/oauth-authorization-server/auth/api`)).json();
    expect(metadata).toMatchObject({
      issuer: `${server.url}/auth/api`,
      code_challenge_methods_supported: ["S256"],
      response_types_supported: ["code"],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it("lets the official client log in as a person and call a tool, over HTTP from end to end (R-MC-6)", async () => {
    const program = new Program();
    const transport = new StreamableHTTPClientTransport(mcp(), { authProvider: program });
    const client = new Client({ name: "notes", version: "1.0.0" });
    await expect(client.connect(transport)).rejects.toThrow(/[Uu]nauthorized/);
    expect(program.asked?.searchParams.get("resource")).toBe(mcp().href);
    expect(program.asked?.searchParams.get("code_challenge_method")).toBe("S256");
    const { text, back } = await answer(ann, program.asked as URL);
    expect(text).toContain("Notes &lt;app&gt;");
    expect(text).toContain("127.0.0.1:9");
    expect(back.searchParams.get("iss")).toBe(`${server.url}/auth/api`);
    expect(back.searchParams.get("state")).toBe("the-state");
    await transport.finishAuth(back.searchParams);
    const authorized = new Client({ name: "notes", version: "1.0.0" });
    await authorized.connect(new StreamableHTTPClientTransport(mcp(), { authProvider: program }));
    expect((await authorized.listTools()).tools.length).toBeGreaterThan(5);
    const result = await authorized.callTool({ name: "file_write", arguments: { path: "note.txt", content: "hello" } });
    expect(result.isError ?? false).toBe(false);
    await authorized.close();
  });

  it("asks a person who is signed out to sign in first, and goes on from there", async () => {
    const browser = await server.person("out@example.org");
    await browser.post(`${server.url}/auth/sign-out`, {});
    const program = new Program(known);
    await auth(program, { serverUrl: mcp() });
    const { url } = await browser.follow(await browser.get(program.asked as URL), server.url);
    expect(url.pathname).toBe("/auth/sign-in");
    const signedIn = await browser.post(`${server.url}/auth/sign-in`, {
      email: "out@example.org",
      password: "correct horse battery",
      oauth_query: url.search.slice(1),
    });
    expect((await browser.follow(signedIn, server.url)).url.pathname).toBe("/auth/consent");
  });

  it("gives nothing when the person says no, or chooses a tenant that is not theirs", async () => {
    const browser = await server.person("no@example.org");
    const program = new Program(known);
    await auth(program, { serverUrl: mcp() });
    const denied = await answer(browser, program.asked as URL, { answer: "deny" });
    expect(denied.back.searchParams.get("error")).toBe("access_denied");
    const foreign = await answer(browser, program.asked as URL, { answer: "allow", tenant: "acme" });
    expect(foreign.back.pathname).toBe("/auth/error");
    const missing = await answer(browser, program.asked as URL, { answer: "allow", tenant: "nowhere" });
    expect(missing.back.href).toBe(foreign.back.href);
  });

  it("asks again for each client: a yes to one is none to another", async () => {
    const first = await connected(ann);
    const second = new Program();
    await auth(second, { serverUrl: mcp() });
    expect((await ann.follow(await ann.get(second.asked as URL), server.url)).url.pathname).toBe("/auth/consent");
    expect(first.saved?.access_token).toMatch(/^twa_/);
  });

  it.each([
    { name: "another redirect", change: { redirect_uri: "http://127.0.0.1:9/callback/more" } },
    { name: "a redirect elsewhere", change: { redirect_uri: "https://evil.example/callback" } },
    { name: "no code challenge", change: { code_challenge: "", code_challenge_method: "" } },
    { name: "a plain code challenge", change: { code_challenge_method: "plain" } },
    { name: "another resource", change: { resource: "https://other.example/mcp" } },
    { name: "an unknown scope", change: { scope: "tools everything" } },
    { name: "an unknown client", change: { client_id: "nobody" } },
    { name: "an implicit grant", change: { response_type: "token" } },
  ])("refuses an authorization request with $name", async ({ change }) => {
    const program = new Program(known);
    await auth(program, { serverUrl: mcp() });
    const asked = new URL(program.asked as URL);
    for (const [name, value] of Object.entries(change))
      if (value === "") asked.searchParams.delete(name);
      else asked.searchParams.set(name, value as string);
    const { answer: last, url } = await ann.follow(await ann.get(asked), server.url);
    expect(url.host).not.toBe("evil.example");
    expect(url.searchParams.has("code")).toBe(false);
    expect(url.pathname === "/auth/consent").toBe(false);
    expect(url.searchParams.has("error") || url.hash.includes("error=") || last.status >= 400).toBe(true);
  });

  it("takes a code once, with its verifier, from its client", async () => {
    const program = new Program(known);
    await auth(program, { serverUrl: mcp() });
    const { back } = await answer(ann, program.asked as URL);
    const exchange = (change: Readonly<Record<string, string>> = {}) =>
      fetch(`${server.url}/auth/api/oauth2/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code: back.searchParams.get("code") ?? "",
          client_id: program.information?.client_id ?? "",
          redirect_uri: redirectUrl,
          code_verifier: program.verifier,
          resource: mcp().href,
          ...change,
        }),
      });
    expect((await exchange({ client_id: "nobody" })).status).toBeGreaterThanOrEqual(400);
    expect((await exchange({ code: "guessed" })).status).toBeGreaterThanOrEqual(400);
    expect((await exchange({ code_verifier: "a".repeat(43) })).status).toBeGreaterThanOrEqual(400);
    const { back: next } = await answer(ann, program.asked as URL);
    const code = next.searchParams.get("code") ?? "";
    const taken = await Promise.all([exchange({ code }), exchange({ code })]);
    expect(taken.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
    expect(taken.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await exchange({ code })).status).toBeGreaterThanOrEqual(400);
  });

  describe("the matrix of tokens (R-MC-6)", () => {
    it("knows a good one, in the header and nowhere else", async () => {
      const program = await connected(ann);
      const token = program.saved?.access_token ?? "";
      expect(await status(token)).not.toBe(401);
      expect(await status("", `?access_token=${token}`)).toBe(400);
      expect(await status("")).toBe(401);
      expect(await status(`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`)).toBe(401);
      expect(await status(token.replace("twa_", ""))).toBe(401);
    });

    it("knows none of another issuer, or with another signature", async () => {
      const header = Buffer.from('{"alg":"none"}').toString("base64url");
      const payload = Buffer.from(
        JSON.stringify({ iss: "https://other.example", aud: mcp().href, sub: "x", exp: 9e9, scope: "tools" }),
      ).toString("base64url");
      expect(await status(`${header}.${payload}.`)).toBe(401);
      expect(await status(`${header}.${payload}.c2lnbmVk`)).toBe(401);
      expect(await status(`twa_${header}.${payload}.`)).toBe(401);
    });

    it("refuses one without the scope, and says which is missing", async () => {
      const program = await connected(ann, "approvals");
      const headers = { authorization: `Bearer ${program.saved?.access_token}`, "content-type": "application/json" };
      const refused = await fetch(mcp(), { method: "POST", headers, body: "{}" });
      expect(refused.status).toBe(403);
      expect(refused.headers.get("www-authenticate")).toMatch(/insufficient_scope.*scope="tools"/);
    });

    it("ends one that is revoked, at once", async () => {
      const program = await connected(ann);
      const token = program.saved?.access_token ?? "";
      const revoked = await fetch(`${server.url}/auth/api/oauth2/revoke`, {
        method: "POST",
        body: new URLSearchParams({ token, token_type_hint: "access_token", client_id: program.information?.client_id ?? "" }),
      });
      expect(revoked.status).toBe(200);
      expect(await status(token)).toBe(401);
    });

    it("ends all of a person who leaves the tenant, and of a tenant that is suspended", async () => {
      const browser = await server.person("leaver@example.org");
      const token = (await connected(browser)).saved?.access_token ?? "";
      await server.run("users", "remove", "leaver@example.org");
      expect(await status(token)).toBe(401);
      const other = (await connected(await server.person("stays@example.org"))).saved?.access_token ?? "";
      await server.run("tenants", "suspend", "default");
      expect(await status(other)).toBe(401);
      await server.run("tenants", "resume", "default");
      expect(await status(other)).not.toBe(401);
    });
  });

  it("never sends the token of a client anywhere else (R-MC-7)", async () => {
    const seen: string[] = [];
    const upstream = createServer((request, response) => {
      seen.push(JSON.stringify(request.headers));
      response.end("hello");
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const { port } = upstream.address() as { port: number };
    const program = await connected(ann);
    const client = new Client({ name: "notes", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(mcp(), { authProvider: program }));
    const result = await client.callTool({ name: "http_request", arguments: { url: `http://127.0.0.1:${port}/`, method: "GET" } });
    await client.close();
    await new Promise((resolve) => upstream.close(resolve));
    const token = program.saved?.access_token ?? "none";
    expect(JSON.stringify([seen, result])).not.toContain(token);
  });

  it("takes keys of a tenant beside it", async () => {
    const key = await server.run("keys", "create", "ci", "--tenant", "acme");
    expect(await status(key)).not.toBe(401);
    await server.run("keys", "revoke", /tw_([a-z0-9]{16})/.exec(key)?.[1] ?? "", "--tenant", "acme");
    expect(await status(key)).toBe(401);
  });
});
