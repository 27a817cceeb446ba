import { ToolwrightError } from "@toolwright/engine";
import { createAccounts, createIdentity, type Database, systemHandle } from "@toolwright/postgres";
import { openTestDatabase, productDatabaseKinds, type TestDatabase } from "@toolwright/postgres/testing";
import { type Listening, listen } from "@toolwright/server/http";
import { authRoutes, createSignIn } from "@toolwright/sign-in";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Browser } from "../../../packages/cli/test/browser.ts";
import { password } from "../../../packages/cli/test/serve-here.ts";

const email = "ann@example.org";

describe.each(productDatabaseKinds)("what breaks while people sign in, %s", (kind) => {
  const printed = ["error", "warn", "log"].map((name) => vi.spyOn(console, name as "error").mockImplementation(() => {}));
  const lines: string[] = [];
  let isAway = false;
  let test: TestDatabase;
  let server: Listening;
  let ann: Browser;

  beforeAll(async () => {
    test = await openTestDatabase(kind);
    const database = leavable(test.database);
    const identity = createIdentity(database);
    const accounts = createAccounts(database);
    let handle: (request: Request) => Promise<Response> | undefined = () => undefined;
    const missing = () => new Response("There is nothing.", { status: 404 });
    const onError = (error: unknown) => void lines.push(error instanceof Error ? error.message : String(error));
    server = await listen(async (request) => (await handle(request)) ?? missing(), { host: "127.0.0.1", port: 0, onError });
    const resource = `${server.url}/mcp`;
    const log = (_: string, message: string) => void lines.push(message);
    const options = { origin: server.url, resource, secret: "s".repeat(32), addressHeader: "x-address", log };
    const signIn = await createSignIn({ handle: systemHandle(database), identity, accounts }, options);
    handle = authRoutes({ signIn, identity, accounts, origin: server.url, resource, oidcName: undefined });
    const { token } = await identity.inviteMember("acme", { email, role: "member", by: "test" });
    ann = new Browser();
    await ann.post(`${server.url}/auth/accept`, { token, name: "Ann", password });
  });
  beforeEach(() => {
    isAway = false;
    lines.length = 0;
    for (const spy of printed) spy.mockClear();
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await server.close(0, async () => {});
    await test.cleanup();
  });

  function leavable(database: Database): Database {
    const unlessAway = <Result>(work: () => Promise<Result>) =>
      isAway ? Promise.reject(new ToolwrightError("store_unreachable", "The PostgreSQL server cannot be reached.")) : work();
    return {
      ...database,
      asTenant: (tenant, work) => unlessAway(() => database.asTenant(tenant, work)),
      asSystem: (work) => unlessAway(() => database.asSystem(work)),
    };
  }
  const register = (name: string) =>
    fetch(`${server.url}/auth/api/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: name, redirect_uris: ["http://127.0.0.1/"], token_endpoint_auth_method: "none" }),
    });

  it("is a line of the operator's log with what the database said, without the query and its values, and nothing on the console", async () => {
    await sql`alter table toolwright.oauth_clients add constraint not_that check (name <> 'the-value')`.execute(test.database.owner);
    const answer = await register("the-value");
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toMatch(/the-value|not_that|insert/);
    expect(lines).toEqual([expect.stringMatching(/^POST \/auth\/api\/oauth2\/register failed: .*"not_that".*\(23514\)$/)]);
    expect(lines.join()).not.toMatch(/the-value|insert into/);
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  });

  it.each<[string, () => Promise<Response>]>([
    ["an account", () => ann.get(`${server.url}/auth/account`)],
    ["an invitation", () => ann.get(`${server.url}/auth/accept?token=x`)],
    ["signing in", () => new Browser().post(`${server.url}/auth/sign-in`, { email, password })],
    ["signing out", () => ann.post(`${server.url}/auth/sign-out`, {})],
    ["a new password", () => ann.post(`${server.url}/auth/password`, { current: password, password: "another long password" })],
    ["the question of a program", () => ann.get(`${server.url}/auth/api/oauth2/authorize?client_id=x&response_type=code`)],
    ["a registration", () => register("Notes")],
  ])("is said to be ours, and no fault of the person, when the database is away: %s", async (_, ask) => {
    isAway = true;
    const answer = await ask();
    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe("Internal error. The server's log says more.\n");
    expect(lines.join("\n")).toContain("The PostgreSQL server cannot be reached.");
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  });

  it("is no wrong password", async () => {
    await sql`alter table toolwright.auth_sessions add constraint no_more check (false) not valid`.execute(test.database.owner);
    expect((await new Browser().post(`${server.url}/auth/sign-in`, { email, password })).status).toBe(500);
    await sql`alter table toolwright.auth_sessions drop constraint no_more`.execute(test.database.owner);
  });

  it("is over when the database is back", async () => {
    expect((await ann.get(`${server.url}/auth/account`)).status).toBe(200);
    expect(lines).toEqual([]);
  });
});
