import { auth, type StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { openTestDatabase, type TestDatabase } from "@toolwright/postgres/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../../../test/browser.ts";
import { Program, redirectUrl } from "../../../../test/oauth-program.ts";
import { type ServedHere, serveHere } from "../../../../test/serve-here.ts";

interface Refused {
  readonly error?: string;
  readonly error_description?: string;
}

/** R-OA-1: a program hears first whether it is known, and so whether it has to register again. */
describe("the endpoints for programs look at the client first", () => {
  let database: TestDatabase;
  let server: ServedHere;
  let ann: Browser;
  /** A program with a secret. */
  let known: StoredOAuthClientInformation;
  beforeAll(async () => {
    database = await openTestDatabase("server");
    server = await serveHere(["--auth"], { DATABASE_URL: database.url as string, TOOLWRIGHT_TRUSTED_PROXIES: "127.0.0.1" });
    ann = await server.person("ann@example.org", { role: "owner" });
    const metadata = { client_name: "Secretive", redirect_uris: [redirectUrl], token_endpoint_auth_method: "client_secret_basic" };
    const registered = await fetch(endpoint("register"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(metadata),
    });
    known = (await registered.json()) as StoredOAuthClientInformation;
  });
  afterAll(async () => {
    await server.stop();
    await database.cleanup();
  });

  const endpoint = (name: string) => `${server.url}/auth/api/oauth2/${name}`;
  let addresses = 0;
  async function send(name: string, body: string | URLSearchParams, headers: Readonly<Record<string, string>> = {}) {
    const from = { "x-forwarded-for": `192.0.2.${++addresses % 200}` };
    const answer = await fetch(endpoint(name), { method: "POST", headers: { ...from, ...headers }, body });
    return { status: answer.status, headers: answer.headers, said: (await answer.json()) as Refused };
  }
  const basic = (id: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` });
  const grants = {
    "a code": { grant_type: "authorization_code", code: "x".repeat(32), redirect_uri: redirectUrl, code_verifier: "y".repeat(43) },
    "a refresh token": { grant_type: "refresh_token", refresh_token: `twr_${"x".repeat(32)}` },
    "a grant that nobody knows": { grant_type: "password" },
    "a grant without its parts": { grant_type: "authorization_code" },
  } as const;
  const clients = [
    { name: "an unknown client", given: () => ({ fields: { client_id: "x".repeat(32) }, headers: {} }) },
    { name: "an unknown client with a secret", given: () => ({ fields: { client_id: "nobody", client_secret: "s" }, headers: {} }) },
    { name: "an unknown client in the header", given: () => ({ fields: {}, headers: basic("nobody", "secret") }) },
    { name: "a wrong secret", given: () => ({ fields: {}, headers: basic(known.client_id, "wrong") }) },
    { name: "a secret that is missing", given: () => ({ fields: { client_id: known.client_id }, headers: {} }) },
    {
      name: "a secret in the wrong place",
      given: () => ({ fields: { client_id: known.client_id, client_secret: known.client_secret ?? "" }, headers: {} }),
    },
  ];
  const cases = clients.flatMap((client) => Object.entries(grants).map(([grant, fields]) => ({ ...client, grant, parts: fields })));

  it.each(cases)("$name with $grant is invalid_client", async ({ given, parts }) => {
    const { fields, headers } = given();
    const { status, said, headers: answered } = await send("token", new URLSearchParams({ ...parts, ...fields }), headers);
    expect({ status, error: said.error }).toEqual({ status: 401, error: "invalid_client" });
    expect(said.error_description).toMatch(/[Rr]egister/);
    expect(answered.get("cache-control")).toContain("no-store");
    if ("authorization" in headers) expect(answered.get("www-authenticate")).toMatch(/^Basic /);
  });

  it.each(clients)("$name cannot revoke", async ({ given }) => {
    const { fields, headers } = given();
    const { status, said } = await send("revoke", new URLSearchParams({ token: "twr_x", ...fields }), headers);
    expect({ status, error: said.error }).toEqual({ status: 401, error: "invalid_client" });
  });

  it.each(Object.entries(grants))("%s of a known client is judged after it", async (_, parts) => {
    const { status, said } = await send("token", new URLSearchParams(parts), basic(known.client_id, known.client_secret ?? ""));
    expect(status).toBe(400);
    expect(["invalid_grant", "unsupported_grant_type", "invalid_request"]).toContain(said.error);
  });

  it.each(["token", "revoke"])("%s answers a body that is no form with an error of OAuth", async (name) => {
    const fields = { grant_type: "refresh_token", refresh_token: "x", token: "x", client_id: known.client_id };
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
      const { status, said } = await send(name, JSON.stringify(fields), { "content-type": type });
      expect({ status, error: said.error }).toEqual({ status: 400, error: "invalid_request" });
      expect(said.error_description).toContain("application/x-www-form-urlencoded");
    }
  });

  it.each([
    ["no client", "grant_type=refresh_token&refresh_token=x"],
    ["a client twice", "grant_type=refresh_token&refresh_token=x&client_id=a&client_id=b"],
    ["a grant twice", "grant_type=refresh_token&grant_type=refresh_token&refresh_token=x&client_id=a"],
    ["nothing", ""],
  ])("a message with %s is invalid_request", async (_, body) => {
    const { status, said } = await send("token", body, { "content-type": "application/x-www-form-urlencoded" });
    expect({ status, error: said.error }).toEqual({ status: 400, error: "invalid_request" });
  });

  it("tells a person that the program is unknown, and leads nowhere", async () => {
    const asked = new URLSearchParams({
      ...{ response_type: "code", client_id: "nobody", redirect_uri: "https://evil.example/", scope: "tools", state: "s" },
      ...{ code_challenge: "x".repeat(43), code_challenge_method: "S256" },
    });
    const shortened = new URLSearchParams({ client_id: "nobody", redirect_uri: "https://evil.example/" });
    for (const query of [asked, shortened]) {
      const { answer, url } = await ann.follow(await ann.get(new URL(`${endpoint("authorize")}?${query}`)), server.url);
      expect(url.origin).toBe(server.url);
      const text = await answer.text();
      expect(text).toMatch(/is unknown here/);
      expect(text).toMatch(/[Rr]egister/);
    }
  });

  it("leads the official client to register again once the store was reset, and to a token", async () => {
    const program = new Program();
    const serverUrl = `${server.url}/mcp`;
    const signIn = async () => {
      const { url } = await ann.follow(await ann.get(program.asked as URL), server.url);
      const given = { oauth_query: url.search.slice(1), tenant: "default", answer: "allow" };
      const back = new URL((await ann.post(`${server.url}/auth/consent`, given)).headers.get("location") ?? "");
      await auth(program, {
        serverUrl,
        authorizationCode: back.searchParams.get("code") ?? "",
        iss: back.searchParams.get("iss") ?? "",
      });
    };
    expect(await auth(program, { serverUrl, scope: "tools offline_access" })).toBe("REDIRECT");
    await signIn();
    const before = program.information?.client_id;
    expect(program.saved?.refresh_token).toBeDefined();
    await sql`DELETE FROM toolwright.oauth_clients WHERE client_id = ${before}`.execute(database.database.owner);
    expect(await auth(program, { serverUrl, scope: "tools offline_access" })).toBe("REDIRECT");
    expect(program.information?.client_id).not.toBe(before);
    await signIn();
    expect(program.saved).toMatchObject({ access_token: expect.stringMatching(/^twa_/) });
  });
});
