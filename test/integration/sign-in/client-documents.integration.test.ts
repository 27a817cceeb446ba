import { auth } from "@modelcontextprotocol/client";
import { createManualClock } from "@toolwright/engine/testing";
import { createAccounts, createIdentity, systemHandle } from "@toolwright/postgres";
import { openTestDatabase, productDatabaseKinds, type TestDatabase } from "@toolwright/postgres/testing";
import { type Listening, listen } from "@toolwright/server/http";
import { authRoutes, createSignIn, type SignIn } from "@toolwright/sign-in";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser } from "../../../packages/cli/test/browser.ts";
import { Program, redirectUrl } from "../../../packages/cli/test/oauth-program.ts";
import { password } from "../../../packages/cli/test/serve-here.ts";

const hour = 60 * 60 * 1000;

describe.each(productDatabaseKinds)("clients that describe themselves, %s", (kind) => {
  const clock = createManualClock(Date.now());
  const documents = new Map<string, object | string>();
  let read: string[] = [];
  let number = 0;
  let test: TestDatabase;
  let server: Listening;
  let signIn: SignIn;
  let ann: Browser;

  beforeAll(async () => {
    test = await openTestDatabase(kind);
    const identity = createIdentity(test.database);
    const accounts = createAccounts(test.database, { clock });
    let handle: (request: Request) => Promise<Response> | undefined = () => undefined;
    const missing = () => new Response("There is nothing.", { status: 404 });
    server = await listen(async (request) => (await handle(request)) ?? missing(), { host: "127.0.0.1", port: 0, onError: () => {} });
    const resource = `${server.url}/mcp`;
    signIn = await createSignIn(
      { handle: systemHandle(test.database), identity, accounts, clock },
      { origin: server.url, resource, secret: "s".repeat(32), addressHeader: "x-address", log: () => {}, readDocument },
    );
    handle = authRoutes({ signIn, identity, accounts, origin: server.url, resource, oidcName: undefined });
    const { token } = await identity.inviteMember("acme", { email: "ann@example.org", role: "member", by: "test" });
    ann = new Browser();
    await ann.post(`${server.url}/auth/accept`, { token, name: "Ann", password });
  });
  afterAll(async () => {
    await server.close(0, async () => {});
    await test.cleanup();
  });
  beforeEach(async () => {
    read = [];
    await sql`delete from toolwright.auth_rates`.execute(test.database.owner);
  });

  async function readDocument(url: string) {
    read.push(url);
    const found = documents.get(url);
    const body = Buffer.from(typeof found === "string" ? found : JSON.stringify(found ?? null));
    return {
      status: found === undefined ? 404 : 200,
      headers: { "content-type": "application/json" },
      body,
      truncated: body.length > 5_120,
    };
  }

  /** An address of its own, at which a program describes itself. */
  function describeClient(change: object = {}): string {
    const url = `https://notes${++number}.example/client.json`;
    const document = {
      client_id: url,
      client_name: "Notes <app>",
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: "none",
      ...change,
    };
    documents.set(url, document);
    return url;
  }

  async function begin(url: string, scope?: string): Promise<Program> {
    const program = new Program({ clientMetadataUrl: url });
    await auth(program, { serverUrl: `${server.url}/mcp`, ...(scope !== undefined && { scope }) });
    return program;
  }

  async function allow(program: Program): Promise<{ readonly text: string; readonly back: URL }> {
    const { answer, url } = await ann.follow(await ann.get(program.asked as URL), server.url);
    if (url.origin !== server.url) return { text: "", back: url };
    const text = await answer.text();
    const given = await ann.post(`${server.url}/auth/consent`, { oauth_query: url.search.slice(1), answer: "allow", tenant: "acme" });
    return { text, back: (await ann.follow(given, server.url)).url };
  }

  const clients = async () => {
    const { rows } = await sql<{ client_id: string }>`select client_id from toolwright.oauth_clients`.execute(test.database.owner);
    return rows.map(({ client_id }) => client_id);
  };

  it("log in with the official client, which registers nowhere, and people see whose server describes them", async () => {
    const url = describeClient();
    const program = await begin(url, "tools offline_access");
    expect(program.information?.client_id).toBe(url);
    const { text, back } = await allow(program);
    expect(text).toContain("Notes &lt;app&gt;");
    expect(text).toContain(new URL(url).host);
    const { code: authorizationCode = "", iss = "" } = Object.fromEntries(back.searchParams);
    await auth(program, { serverUrl: `${server.url}/mcp`, authorizationCode, iss });
    const token = program.saved?.access_token ?? "";
    expect(await signIn.identifyAccessToken(token)).toMatchObject({ client: url, tenant: "acme", resources: [`${server.url}/mcp`] });
    await auth(program, { serverUrl: `${server.url}/mcp` });
    expect(program.saved?.access_token).not.toBe(token);
    // Described once, used in every step: the stored client is the cache.
    expect(read).toEqual([url]);
  });

  it("are read again after an hour, and a redirect that the description lost is refused", async () => {
    const url = describeClient();
    await allow(await begin(url));
    await clock.advance(2 * hour);
    documents.set(url, { client_id: url, client_name: "Notes", redirect_uris: ["https://elsewhere.example/back"] });
    const program = await begin(url);
    const { url: last } = await ann.follow(await ann.get(program.asked as URL), server.url);
    expect(read).toHaveLength(2);
    expect(last.searchParams.has("code")).toBe(false);
    expect(last.pathname).not.toBe("/auth/consent");
    await clock.advance(2 * hour);
    documents.delete(url);
    expect((await ann.follow(await ann.get(program.asked as URL), server.url)).url.pathname).not.toBe("/auth/consent");
  });

  it("are one client when several ask at once, also for the first time", async () => {
    const url = describeClient();
    const program = await begin(url);
    const answers = await Promise.all([1, 2, 3, 4].map(() => ann.get(program.asked as URL)));
    for (const answer of answers) expect(answer.headers.get("location")).toContain("/auth/consent");
    expect((await clients()).filter((each) => each === url)).toEqual([url]);
  });

  it.each<[string, object | string]>([
    ["that is another's", { client_id: "https://other.example/client.json" }],
    ["with a secret", { client_secret: "s3cret" }],
    ["that asks for a shared secret", { token_endpoint_auth_method: "client_secret_basic" }],
    ["without a name", { client_name: " " }],
    ["with a name of more than a hundred characters", { client_name: "n".repeat(101) }],
    ["with NUL in its name", { client_name: "Notes\0" }],
    ["with half of a character in a redirect", { redirect_uris: ["http://127.0.0.1:9/\ud800"] }],
    ["without a redirect", { redirect_uris: [] }],
    ["that redirects to a script", { redirect_uris: ["javascript:alert(1)"] }],
    ["that redirects in the clear", { redirect_uris: ["http://elsewhere.example/back"] }],
    ["that is too long", { padding: "x".repeat(6_000) }],
    ["that wants no code", { grant_types: ["client_credentials"] }],
  ])("are none with a description %s", async (_, change) => {
    const url = describeClient(change as object);
    const program = await begin(url);
    const { answer, url: last } = await ann.follow(await ann.get(program.asked as URL), server.url);
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(await answer.text()).toContain("This program cannot sign in");
    expect(last.pathname).not.toBe("/auth/consent");
    expect(last.searchParams.has("code")).toBe(false);
    expect(await clients()).not.toContain(url);
  });

  it("that cannot be read are a page with what to do, and JSON for a program that asks for it", async () => {
    const url = describeClient();
    const program = await begin(url);
    documents.delete(url);
    const answer = await ann.get(program.asked as URL);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/answered with status 404[\s\S]*connect again[\s\S]*TOOLWRIGHT_CLIENT_DOCUMENTS=off/);
    const plain = await fetch(program.asked as URL, { headers: { accept: "application/json" }, redirect: "manual" });
    expect(await plain.json()).toMatchObject({ error: "invalid_client" });
  });

  it.each([
    ["an address in the clear", "http://notes.example/client.json"],
    ["one with a fragment", "https://notes.example/client.json#a"],
    ["one with a password", "https://a:b@notes.example/client.json"],
    ["one without a path", "https://notes.example/"],
    ["one with dots", "https://notes.example/a/../client.json"],
    ["one in other letters", "https://NOTES.example/client.json"],
    ["one that is too long", `https://notes.example/${"a".repeat(600)}`],
  ])("are not looked for at %s", async (_, clientId) => {
    const program = await begin(describeClient());
    const asked = new URL(program.asked as URL);
    asked.searchParams.set("client_id", clientId);
    const { url } = await ann.follow(await ann.get(asked), server.url);
    expect(url.pathname).not.toBe("/auth/consent");
    expect(read).toEqual([]);
  });

  it("cannot take the id of a client that registered, nor the other way round", async () => {
    const url = describeClient();
    const registered = await fetch(`${server.url}/auth/api/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: url,
        client_name: "Evil",
        redirect_uris: ["https://evil.example/"],
        token_endpoint_auth_method: "none",
      }),
    });
    expect(((await registered.json()) as { client_id?: string }).client_id).not.toBe(url);
    expect(await clients()).not.toContain(url);
  });
});
