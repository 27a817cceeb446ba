import { createHash } from "node:crypto";
import { auth, type StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { openTestDatabase, productDatabaseKinds, type TestDatabase } from "@toolwright/postgres/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Browser } from "../../../../test/browser.ts";
import { Program, redirectUrl } from "../../../../test/oauth-program.ts";
import { type ServedHere, serveHere } from "../../../../test/serve-here.ts";

const all = "tools approvals offline_access";

describe.each(productDatabaseKinds)("access that ended, %s", (kind) => {
  let server: ServedHere;
  /** Database of the server; the embedded one is the server's own. */
  let database: TestDatabase | undefined;
  let information: StoredOAuthClientInformation | undefined;
  let email = "";
  let browser: Browser;
  let number = 0;
  beforeAll(async () => {
    database = kind === "server" ? await openTestDatabase(kind) : undefined;
    server = await serveHere(["--auth"], database?.url === undefined ? {} : { DATABASE_URL: database.url }, kind);
    const program = new Program();
    await auth(program, { serverUrl: `${server.url}/mcp` });
    information = program.information;
  });
  beforeEach(async () => {
    email = `person${++number}@example.org`;
    browser = await server.person(email);
  });
  afterAll(async () => {
    await server.stop();
    await database?.cleanup();
  });

  const owner = () => {
    if (!database) throw new Error("Only for a database server.");
    return database.database.owner;
  };
  const hashOf = (token: string) => createHash("sha256").update(token.slice(4)).digest("hex");
  const client = () => information?.client_id ?? "";

  /** What the person's yes gives the program: a code that nobody has used. */
  async function allow(scope: string) {
    const program = new Program({ information });
    await auth(program, { serverUrl: `${server.url}/mcp`, scope });
    const { url } = await browser.follow(await browser.get(program.asked as URL), server.url);
    const given = await browser.post(`${server.url}/auth/consent`, {
      oauth_query: url.search.slice(1),
      tenant: "default",
      approvals: "yes",
      answer: "allow",
    });
    return { verifier: program.verifier, code: new URL(given.headers.get("location") ?? "").searchParams.get("code") ?? "" };
  }
  async function askToken(fields: Readonly<Record<string, string>>) {
    const body = new URLSearchParams({ client_id: client(), resource: `${server.url}/mcp`, ...fields });
    const answer = await fetch(`${server.url}/auth/api/oauth2/token`, { method: "POST", body });
    const { access_token: access = "", refresh_token: refresh = "" } = (await answer.json()) as Record<string, string>;
    return { status: answer.status, access, refresh };
  }
  const exchange = ({ code, verifier }: { readonly code: string; readonly verifier: string }) =>
    askToken({ grant_type: "authorization_code", code, redirect_uri: redirectUrl, code_verifier: verifier });
  const renew = (refresh: string) => askToken({ grant_type: "refresh_token", refresh_token: refresh });
  const status = async (token: string) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/mcp`, { method: "POST", headers, body: "{}" })).status;
  };
  const withdraw = () => browser.post(`${server.url}/auth/withdraw`, { client: client(), tenant: "default" });
  const comeBack = async () => {
    const link = new URL(await server.run("users", "invite", email));
    await browser.post(`${server.url}/auth/accept`, { token: link.searchParams.get("token") ?? "" });
  };

  it("is not renewed for who left the tenant, and does not come alive when they come back", async () => {
    const before = await exchange(await allow(all));
    const held = await allow(all);
    expect(await status(before.access)).not.toBe(401);
    await server.run("users", "remove", email);
    expect(await status(before.access)).toBe(401);
    const meanwhile = await renew(before.refresh);
    expect(meanwhile.status).toBe(400);
    expect(JSON.parse(await server.run("users", "sessions", email, "--json")).programs).toEqual([]);
    await comeBack();
    for (const token of [before.access, meanwhile.access]) expect(await status(token)).toBe(401);
    await allow("tools");
    for (const token of [before.access, meanwhile.access, (await exchange(held)).access]) expect(await status(token)).toBe(401);
    expect((await renew(before.refresh)).status).toBe(400);
  });

  it("leaves no code that is good for what the person took back and later allows less of", async () => {
    const held = await allow(all);
    await withdraw();
    const late = await exchange(held);
    expect(late.status).toBe(400);
    const other = await allow(all);
    await withdraw();
    const next = await exchange(await allow("tools"));
    expect(next.status).toBe(200);
    const later = await exchange(other);
    expect(later.status).toBe(400);
    expect(await status(next.access)).not.toBe(401);
    for (const token of [late.access, later.access]) expect(await status(token)).toBe(401);
  });

  it("leaves what other programs and other people have", async () => {
    const other = await server.person(`other${number}@example.org`);
    const mine = browser;
    browser = other;
    const kept = await allow(all);
    browser = mine;
    await allow(all);
    await withdraw();
    const theirs = await exchange(kept);
    expect(await status(theirs.access)).not.toBe(401);
    expect((await renew(theirs.refresh)).status).toBe(200);
  });

  it("is more than the person allows now, when they allowed less again: that is not renewed either", async () => {
    const wide = await exchange(await allow(all));
    expect(await status(wide.access)).not.toBe(401);
    await allow("tools offline_access");
    expect(await status(wide.access)).toBe(401);
    expect((await renew(wide.refresh)).status).toBe(400);
  });

  it.runIf(kind === "server")("stays ended for who comes back when their removal was cut short", async () => {
    const { access, refresh } = await exchange(await allow(all));
    await sql`delete from toolwright.memberships where user_id = (select id from toolwright.users where email = ${email})`.execute(owner());
    expect((await renew(refresh)).status).toBe(400);
    await comeBack();
    expect(await status(access)).toBe(401);
    expect((await renew(refresh)).status).toBe(400);
  });

  it.runIf(kind === "server")("stays ended, also where a withdrawal and a renewal met", async () => {
    const { access, refresh } = await exchange(await allow(all));
    // What was being made while the person took it back is left over, and older than the consent that they give later.
    await sql`update toolwright.oauth_refresh_tokens set created_at = now() - interval '5 minutes' where token = ${hashOf(refresh)}`.execute(
      owner(),
    );
    await sql`update toolwright.oauth_access_tokens set created_at = now() - interval '5 minutes' where token = ${hashOf(access)}`.execute(
      owner(),
    );
    expect(await status(access)).toBe(401);
    expect((await renew(refresh)).status).toBe(400);
  });

  it.runIf(kind === "server")("can be withdrawn whatever the question of a program held", async () => {
    await sql`delete from toolwright.auth_verifications`.execute(owner());
    await allow(all);
    await sql`update toolwright.auth_verifications set value = replace(value, '"the-state"', '"\\u0000\\ud800"')`.execute(owner());
    expect((await withdraw()).headers.get("location")).toBe("/auth/account?done=withdrawal");
    const { rows } = await sql`select from toolwright.auth_verifications`.execute(owner());
    expect(rows).toEqual([]);
  });
});
