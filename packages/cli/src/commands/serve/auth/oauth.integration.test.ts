import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { auth, Client, type StoredOAuthClientInformation, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openTestDatabase, productDatabaseKinds, type TestDatabase } from "@toolwright/postgres/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../../../test/browser.ts";
import { Program, redirectUrl } from "../../../../test/oauth-program.ts";
import { type ServedHere, serveHere } from "../../../../test/serve-here.ts";

describe.each(productDatabaseKinds)("OAuth for MCP clients, %s", (kind) => {
  let server: ServedHere;
  /** Database of the server; the embedded one is the server's own. */
  let database: TestDatabase | undefined;
  /** A client that is known already. */
  let known: StoredOAuthClientInformation | undefined;
  /** A person for those tests that change nothing of them. */
  let ann: Browser;
  beforeAll(async () => {
    database = kind === "server" ? await openTestDatabase(kind) : undefined;
    server = await serveHere(["--auth"], database?.url === undefined ? {} : { DATABASE_URL: database.url }, kind);
    const program = new Program();
    await auth(program, { serverUrl: mcp() });
    known = program.information;
    ann = await server.person("ann@example.org", { role: "owner" });
    if (kind === "embedded") await server.run("tenants", "create", "acme", "--name", "Acme");
  });
  afterAll(async () => {
    await server.stop();
    await database?.cleanup();
  });

  const mcp = () => new URL(`${server.url}/mcp`);

  /** What the person sees, and what comes back when they answer. */
  async function answer(
    browser: Browser,
    asked: URL,
    fields: Readonly<Record<string, string>> = { answer: "allow", tenant: "default", approvals: "yes" },
  ) {
    const { answer: shown, url } = await browser.follow(await browser.get(asked), server.url);
    if (url.origin !== server.url) return { text: "", back: url };
    const text = await shown.text();
    const given = await browser.post(`${server.url}/auth/consent`, { oauth_query: url.search.slice(1), ...fields });
    return { text, back: (await browser.follow(given, server.url)).url };
  }

  /** A program to which a person gave access. */
  async function connected(browser: Browser, scope?: string): Promise<Program> {
    const program = new Program({ information: known });
    await auth(program, { serverUrl: mcp(), ...(scope !== undefined && { scope }) });
    const { back } = await answer(browser, program.asked as URL);
    const { code: authorizationCode = "", iss = "" } = Object.fromEntries(back.searchParams);
    await auth(program, { serverUrl: mcp(), authorizationCode, iss });
    return program;
  }

  const owner = () => {
    if (!database) throw new Error("Only for a database server.");
    return database.database.owner;
  };

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
      client_id_metadata_document_supported: true,
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
    const program = new Program({ information: known });
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
    const program = new Program({ information: known });
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

  it("asks again for more than was allowed, and shows a page that fits in no frame", async () => {
    const browser = await server.person("wide@example.org");
    await connected(browser, "tools");
    const wider = new Program({ information: known });
    await auth(wider, { serverUrl: mcp(), scope: "tools approvals" });
    const { answer: shown, url } = await browser.follow(await browser.get(wider.asked as URL), server.url);
    expect(url.pathname).toBe("/auth/consent");
    expect(shown.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await shown.text()).toContain("nobody has checked its name");
  });

  it.each([
    { name: "another client", change: { client_id: "other" } },
    { name: "another redirect", change: { redirect_uri: "https://evil.example/" } },
    { name: "more scopes", change: { scope: "tools approvals offline_access" } },
    { name: "another state", change: { state: "mine" } },
    { name: "another challenge", change: { code_challenge: "A".repeat(43) } },
    { name: "no seal", change: { sig: "" } },
    { name: "the seal of nobody", change: { sig: "AAAA" } },
  ])("takes no consent to a question that was changed on its way: $name (R-MC-11)", async ({ change }) => {
    const program = new Program({ information: known });
    await auth(program, { serverUrl: mcp(), scope: "approvals" });
    const asked = new URL(program.asked as URL);
    asked.searchParams.set("prompt", "consent");
    const { url } = await ann.follow(await ann.get(asked), server.url);
    expect(url.pathname).toBe("/auth/consent");
    for (const [name, value] of Object.entries(change)) url.searchParams.set(name, value as string);
    const given = await ann.post(`${server.url}/auth/consent`, { oauth_query: url.search.slice(1), answer: "allow", tenant: "default" });
    const { url: last } = await ann.follow(given, server.url);
    expect(last.searchParams.has("code")).toBe(false);
    expect(last.host).not.toBe("evil.example");
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
    const program = new Program({ information: known });
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

  it.each(["127.0.0.1", "localhost", "[::1]", "2130706433", "0.0.0.0"])(
    "asks nothing of this machine for a client at https://%s (R-NW-2)",
    async (host) => {
      let sockets = 0;
      const inside = createServer(() => sockets++).listen(0, host === "[::1]" ? "::1" : "127.0.0.1");
      await once(inside, "listening");
      const program = new Program({ information: known });
      await auth(program, { serverUrl: mcp() });
      const asked = new URL(program.asked as URL);
      asked.searchParams.set("client_id", `https://${host}:${(inside.address() as AddressInfo).port}/client.json`);
      const { answer: last, url } = await ann.follow(await ann.get(asked), server.url);
      inside.close();
      expect(sockets).toBe(0);
      expect(url.pathname).not.toBe("/auth/consent");
      // Why is not said: names and addresses inside are nobody's business.
      const [, said] = /role="alert">([^<]*)</.exec(await last.text()) ?? [];
      expect(said ?? "").not.toMatch(/public|resolve|address/);
    },
  );

  it("takes a code once, with its verifier, from its client", async () => {
    const program = new Program({ information: known });
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
    // Whoever comes second ends what the first was given (OAuth 2.1 section 4.1.3), maybe before it was given.
    expect(taken.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
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

    it.runIf(kind === "server").each([
      { name: "for another server", change: sql`resources = '["https://other.example/mcp"]'` },
      { name: "for a path below", change: sql`resources = jsonb_build_array((resources ->> 0) || '/more')` },
      { name: "for no server at all", change: sql`resources = null` },
      { name: "that has expired", change: sql`expires_at = now() - interval '1 second'` },
      { name: "of a tenant for which nobody gave it", change: sql`reference_id = 'acme'` },
      {
        name: "of a person who is no member there",
        change: sql`user_id = (select id from toolwright.users where email = 'odd@example.org')`,
      },
    ])("refuses one $name", async ({ change }) => {
      const token = (await connected(ann)).saved?.access_token ?? "";
      expect(await status(token)).not.toBe(401);
      await sql`insert into toolwright.users (id, name, email) values ('odd', 'Odd', 'odd@example.org') on conflict do nothing`.execute(
        owner(),
      );
      const hash = createHash("sha256").update(token.slice("twa_".length)).digest("hex");
      const { numAffectedRows } = await sql`update toolwright.oauth_access_tokens set ${change} where token = ${hash}`.execute(owner());
      expect(numAffectedRows).toBe(1n);
      expect(await status(token)).toBe(401);
    });

    it("knows no cookie, and no token of a session", async () => {
      const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answered = await fetch(mcp(), { method: "POST", headers: { cookie, "content-type": "application/json" }, body: "{}" });
      expect(answered.status).toBe(401);
      for (const value of ann.cookies.values()) expect(await status(decodeURIComponent(value).split(".")[0] ?? "")).toBe(401);
    });

    it("takes a refresh token once; whoever uses it again ends them all", async () => {
      const program = await connected(ann, "tools offline_access");
      const first = program.saved;
      expect(first?.refresh_token).toMatch(/^twr_/);
      expect(await status(first?.refresh_token ?? "")).toBe(401);
      await auth(program, { serverUrl: mcp() });
      expect(program.saved?.refresh_token).not.toBe(first?.refresh_token);
      expect(await status(program.saved?.access_token ?? "")).not.toBe(401);
      const body = { grant_type: "refresh_token", client_id: program.information?.client_id ?? "", resource: mcp().href };
      const refresh = (change: object) =>
        fetch(`${server.url}/auth/api/oauth2/token`, { method: "POST", body: new URLSearchParams({ ...body, ...change }) });
      expect((await refresh({ refresh_token: program.saved?.refresh_token, client_id: "nobody" })).status).toBeGreaterThanOrEqual(400);
      expect((await refresh({ refresh_token: program.saved?.refresh_token, resource: "https://other.example/mcp" })).status).toBe(400);
      expect((await refresh({ refresh_token: first?.refresh_token })).status).toBeGreaterThanOrEqual(400);
      expect((await refresh({ refresh_token: program.saved?.refresh_token })).status).toBeGreaterThanOrEqual(400);
    });

    it("ends all of a program that the person takes it back from, in their account", async () => {
      const browser = await server.person("back@example.org");
      const program = await connected(browser, "tools offline_access");
      const shown = await (await browser.get(`${server.url}/auth/account`)).text();
      expect(shown).toContain("Notes &lt;app&gt;");
      const client = program.information?.client_id ?? "";
      await browser.post(`${server.url}/auth/withdraw`, { client, tenant: "default" });
      expect(await status(program.saved?.access_token ?? "")).toBe(401);
      const body = { grant_type: "refresh_token", client_id: client, refresh_token: program.saved?.refresh_token ?? "" };
      const refreshed = await fetch(`${server.url}/auth/api/oauth2/token`, { method: "POST", body: new URLSearchParams(body) });
      expect(refreshed.status).toBeGreaterThanOrEqual(400);
      expect(await (await browser.get(`${server.url}/auth/account`)).text()).toContain("No program acts for you.");
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

  it("takes keys of a tenant beside it", async () => {
    const key = await server.run("keys", "create", "ci", "--tenant", "acme");
    expect(await status(key)).not.toBe(401);
    await server.run("keys", "revoke", /tw_([a-z0-9]{16})/.exec(key)?.[1] ?? "", "--tenant", "acme");
    expect(await status(key)).toBe(401);
  });
});
