import { randomBytes } from "node:crypto";
import type { IdentityAdmin } from "@toolwright/engine/ports";
import { sha256 } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { type Accounts, createAccounts, createIdentity, systemHandle } from "@toolwright/postgres";
import { openTestDatabase, productDatabaseKinds, type TestDatabase } from "@toolwright/postgres/testing";
import { createSignIn, type SignIn } from "@toolwright/sign-in";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const origin = "https://tools.example.org";
const day = 24 * 60 * 60 * 1000;
const password = "correct horse battery";
const next = "another long password";

describe.each(productDatabaseKinds)("accounts, %s", (kind) => {
  let test: TestDatabase;
  let identity: IdentityAdmin;
  let accounts: Accounts;
  let signIn: SignIn;
  const clock = createManualClock(Date.now());
  let number = 0;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    identity = createIdentity(test.database, { clock });
    accounts = createAccounts(test.database, { clock });
    const secret = randomBytes(32).toString("hex");
    const options = { origin, resource: `${origin}/mcp`, secret, addressHeader: "x-address", log: () => {} };
    signIn = await createSignIn({ handle: systemHandle(test.database), identity, accounts, clock }, options);
  });
  afterAll(() => test.cleanup());

  async function person(): Promise<string> {
    const email = `person${++number}@example.org`;
    const { token } = await identity.inviteMember("acme", { email, role: "member", by: "test" });
    await signIn.makeAccount({ token, name: "A person", password });
    return email;
  }
  // Each attempt from an address of its own: the limit of attempts is not the subject here.
  const enter = (email: string, given: string) =>
    signIn.withPassword(new Request(origin, { headers: { "x-address": `10.0.${++number}.1` } }), { email, password: given });
  const ask = (email: string) => accounts.askPasswordReset({ email, by: "operator" });

  it("sets a new password by a link, once, and ends every session", async () => {
    const email = await person();
    await enter(email, password);
    const { token } = await ask(email.toUpperCase());
    expect(await accounts.findPasswordReset(token)).toBe(email);
    expect(await signIn.resetPassword({ token, password: next })).toEqual({ email });
    expect(await accounts.listSessions(email)).toEqual([]);
    expect(await signIn.resetPassword({ token, password: "a third password!" })).toEqual({ refused: "no_reset" });
    expect((await enter(email, password)).status).toBe(401);
    expect((await enter(email, next)).status).toBe(200);
  });

  it("is won by one of several who use the link at the same moment", async () => {
    const { token } = await ask(await person());
    const taken = await Promise.all(
      ["one", "two", "three"].map((word) => signIn.resetPassword({ token, password: `${word} is the password` })),
    );
    expect(taken.filter((each) => "email" in each)).toHaveLength(1);
  });

  it("replaces an earlier link, keeps one that met a bad password, and ends after a day", async () => {
    const email = await person();
    const first = await ask(email);
    const second = await ask(email);
    expect(await signIn.resetPassword({ token: first.token, password: next })).toEqual({ refused: "no_reset" });
    expect(await signIn.resetPassword({ token: second.token, password: "short" })).toEqual({ refused: "password_too_short" });
    expect(await signIn.resetPassword({ token: second.token, password: "x".repeat(129) })).toEqual({ refused: "password_too_long" });
    expect(await accounts.findPasswordReset(second.token)).toBe(email);
    await clock.advance(day);
    expect(await accounts.findPasswordReset(second.token)).toBeUndefined();
    expect(await signIn.resetPassword({ token: second.token, password: next })).toEqual({ refused: "no_reset" });
  });

  it("keeps no more of the link than its hash (R-TN-6)", async () => {
    const { token } = await ask(await person());
    const { rows } = await sql<{ row: string }>`select r::text as row from toolwright.password_resets r`.execute(test.database.owner);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it("has no link for who is unknown, or has no password", async () => {
    await expect(ask("nobody@example.org")).rejects.toMatchObject({ code: "identity_not_found" });
    const email = await person();
    await sql`update toolwright.auth_accounts set password = null, provider_id = 'oidc'
      where user_id = (select id from toolwright.users where email = ${email})`.execute(test.database.owner);
    await expect(ask(email)).rejects.toMatchObject({ code: "identity_refused" });
  });

  it("signs somebody out everywhere, with an open link, and nobody else", async () => {
    const [email, other] = [await person(), await person()];
    for (const each of [email, email, other]) await enter(each, password);
    const { token } = await ask(email);
    expect(await accounts.listSessions(email)).toHaveLength(2);
    expect(await accounts.signOut(email)).toEqual({ sessions: 2, clients: 0 });
    expect(await accounts.listSessions(email)).toEqual([]);
    expect(await accounts.listSessions(other)).toHaveLength(1);
    expect(await accounts.findPasswordReset(token)).toBeUndefined();
  });

  it("takes back what was given to one program in one tenant, and nothing else", async () => {
    const [email, other] = [await person(), await person()];
    const { owner } = test.database;
    const user = async (address: string) => {
      const row = await owner.selectFrom("toolwright.users").select("id").where("email", "=", address).executeTakeFirstOrThrow();
      return row.id;
    };
    const [mine, theirs] = [await user(email), await user(other)];
    // Of each a code that nobody has used, as the library keeps it.
    const codes = {
      wanted: [mine, "notes", "acme"],
      tenant: [mine, "notes", "other"],
      client: [mine, "mail", "acme"],
      user: [theirs, "notes", "acme"],
    };
    for (const client of ["notes", "mail"])
      await sql`insert into toolwright.oauth_clients (id, client_id, redirect_uris) values (${client}, ${client}, '[]')`.execute(owner);
    for (const [id, [userId, client_id, referenceId]] of Object.entries(codes)) {
      const value = JSON.stringify({ type: "authorization_code", query: { client_id }, userId, referenceId });
      await sql`insert into toolwright.auth_verifications (id, identifier, value, expires_at) values (${id}, ${sha256(id)}, ${value}, now() + interval '5 minutes')`.execute(
        owner,
      );
      await sql`insert into toolwright.oauth_consents (id, client_id, user_id, reference_id, scopes, created_at, updated_at)
        values (${id}, ${client_id}, ${userId}, ${referenceId}, '["tools"]', now(), now())`.execute(owner);
      await sql`insert into toolwright.oauth_access_tokens (id, token, client_id, user_id, reference_id, scopes, created_at, expires_at)
        values (${id}, ${id}, ${client_id}, ${userId}, ${referenceId}, '[]', now(), now() + interval '1 hour')`.execute(owner);
    }
    expect(await accounts.withdraw(email, { client: "notes", tenant: "acme" })).toBe(true);
    for (const table of ["auth_verifications", "oauth_consents", "oauth_access_tokens"]) {
      const { rows } = await sql<{ id: string }>`select id from ${sql.table(`toolwright.${table}`)} order by id`.execute(owner);
      expect({ table, left: rows.map(({ id }) => id) }).toEqual({ table, left: ["client", "tenant", "user"] });
    }
    expect(await accounts.withdraw(email, { client: "notes", tenant: "acme" })).toBe(false);
  });

  it("answers an unknown address as late as a wrong password: a hash is computed for both", async () => {
    const email = await person();
    const took = async (who: string) => {
      const started = performance.now();
      expect((await enter(who, "a wrong password")).status).toBe(401);
      return performance.now() - started;
    };
    const fastest = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
    for (let round = 0; round < 6; round++) {
      fastest.known = Math.min(fastest.known, await took(email));
      fastest.unknown = Math.min(fastest.unknown, await took("nobody@example.org"));
    }
    // Without a hash the answer comes in a few milliseconds, a small part of the other.
    expect(fastest.unknown).toBeGreaterThan(fastest.known / 3);
  });

  it("counts attempts in the database: what one process saw, another knows", async () => {
    const there = kind === "server" ? await test.reopen() : test.database;
    const options = { origin, resource: `${origin}/mcp`, secret: "s".repeat(32), addressHeader: "x-address", log: () => {} };
    const elsewhere = await createSignIn({ handle: systemHandle(there), identity, accounts, clock }, options);
    const email = await person();
    const guess = (index: number) =>
      (index % 2 === 0 ? signIn : elsewhere).withPassword(new Request(origin, { headers: { "x-address": "192.0.2.7" } }), {
        email,
        password: `guess number ${index}`,
      });
    const statuses = (await Promise.all(Array.from({ length: 30 }, (_, index) => guess(index)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    // The right password does not get through either.
    expect((await signIn.withPassword(new Request(origin, { headers: { "x-address": "192.0.2.7" } }), { email, password })).status).toBe(
      429,
    );
    expect((await enter(email, password)).status).toBe(200);
  });
});
