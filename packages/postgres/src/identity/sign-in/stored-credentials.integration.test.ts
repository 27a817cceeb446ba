import { randomBytes } from "node:crypto";
import { betterAuth } from "better-auth";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../migrate/migrate.ts";
import { readMigrations } from "../../migrate/read-migrations.ts";
import { openEmptyDatabase, openTestDatabase, type TestDatabase, testDatabaseKinds } from "../../testing/index.ts";
import { createIdentity } from "../identity.ts";
import { hashSecret } from "../secret-text.ts";
import { authOptions } from "./auth-options.ts";

const origin = "https://tools.example.org";
const soon = () => new Date(Date.now() + 60_000);

describe.each(testDatabaseKinds)("credentials of the sign-in library, %s (R-TN-7)", (kind) => {
  let test: TestDatabase;
  let library: Awaited<ReturnType<typeof betterAuth>["$context"]>;
  const openLibrary = async (): Promise<typeof library> => {
    const { database } = test;
    const secret = randomBytes(32).toString("hex");
    const options = { origin, resource: `${origin}/mcp`, secret, addressHeader: "x-address", log: () => {} };
    return (await betterAuth(authOptions({ database, identity: createIdentity(database) }, options)).$context) as never;
  };
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    const { database } = test;
    library = await openLibrary();
    await sql`insert into toolwright.users (id, name, email) values ('ann', 'Ann', 'ann@example.org')`.execute(database.owner);
  });
  afterAll(() => test.cleanup());

  const stored = async (table: string) =>
    (await sql<{ row: string }>`select t::text as row from ${sql.table(`toolwright.${table}`)} t`.execute(test.database.owner)).rows
      .map(({ row }) => row)
      .join("\n");

  it("are found, changed and ended by what their holder has, and by nothing that is stored", async () => {
    const { internalAdapter } = library;
    const { token } = await internalAdapter.createSession("ann");
    const hash = hashSecret(token);
    expect(await stored("auth_sessions")).toContain(hash);
    expect(await stored("auth_sessions")).not.toContain(token);
    expect((await internalAdapter.findSession(token))?.session.token).toBe(token);
    expect(await internalAdapter.findSession(hash)).toBeNull();
    expect((await internalAdapter.updateSession(token, { userAgent: "new" }))?.token).toBe(token);
    await internalAdapter.deleteSession(hash);
    expect((await internalAdapter.findSession(token))?.session).toMatchObject({ userAgent: "new" });
    await internalAdapter.deleteSession(token);
    expect(await internalAdapter.findSession(token)).toBeNull();
  });

  it("are listed by something that ends them and signs nobody in elsewhere", async () => {
    const { internalAdapter } = library;
    const tokens = await Promise.all([1, 2, 3].map(async () => (await internalAdapter.createSession("ann")).token));
    expect(await internalAdapter.findSessions(tokens)).toHaveLength(3);
    const listed = await internalAdapter.listSessions("ann");
    expect(listed.map(({ token }) => token).filter((token) => tokens.includes(token))).toEqual([]);
    await internalAdapter.deleteSession(listed[0]?.token ?? "");
    expect(await internalAdapter.listSessions("ann")).toHaveLength(2);
    await internalAdapter.deleteSessions(tokens);
    expect(await internalAdapter.listSessions("ann")).toEqual([]);
  });

  it("that are valid for minutes are used once, and their hash is worth nothing", async () => {
    const { internalAdapter } = library;
    const value = JSON.stringify({ callbackURL: "/", codeVerifier: "the-verifier", oauthState: "the-state" });
    for (const identifier of ["the-state", "another"])
      await internalAdapter.createVerificationValue({ identifier, value, expiresAt: soon() });
    expect(await stored("auth_verifications")).not.toMatch(/the-state|the-verifier|another/);
    const hash = hashSecret("the-state");
    expect(await internalAdapter.findVerificationValue(hash)).toBeNull();
    expect(await internalAdapter.consumeVerificationValue(hash)).toBeNull();
    expect((await internalAdapter.findVerificationValue("the-state"))?.value).toBe(value);
    await internalAdapter.updateVerificationByIdentifier("the-state", { value: `${value} ` });
    const taken = await Promise.all([1, 2, 3].map(() => internalAdapter.consumeVerificationValue("the-state")));
    expect(taken.filter((row) => row !== null).map((row) => row.value)).toEqual([`${value} `]);
    await internalAdapter.deleteVerificationByIdentifier("another");
    expect(await stored("auth_verifications")).toBe("");
  });

  it("that another secret sealed are as if they were not there", async () => {
    const { internalAdapter } = await openLibrary();
    await internalAdapter.createVerificationValue({ identifier: "sealed", value: "{}", expiresAt: soon() });
    expect(await library.internalAdapter.findVerificationValue("sealed")).toBeNull();
    expect(await library.internalAdapter.consumeVerificationValue("sealed")).toBeNull();
    expect((await internalAdapter.consumeVerificationValue("sealed"))?.value).toBe("{}");
  });

  it("of another server are not kept", async () => {
    const { internalAdapter } = library;
    const tokens = { accessToken: "their-access", refreshToken: "their-refresh", idToken: "their-id" };
    const { id } = await internalAdapter.createAccount({ providerId: "oidc", accountId: "1", userId: "ann", ...tokens });
    await internalAdapter.updateAccount(id, { ...tokens, scope: "openid" });
    expect(await stored("auth_accounts")).toContain("openid");
    expect(await stored("auth_accounts")).not.toContain("their-");
  });

  it.each([
    [
      "the token of a session",
      sql`insert into toolwright.auth_sessions (id, token, user_id, expires_at, updated_at) values ('x', 'plain', 'ann', now(), now())`,
    ],
    ["a code", sql`insert into toolwright.auth_verifications (id, identifier, value, expires_at) values ('x', 'plain', '', now())`],
    [
      "a token of another server",
      sql`insert into toolwright.auth_accounts (id, account_id, provider_id, user_id, id_token, updated_at) values ('x', 'x', 'x', 'ann', 'x', now())`,
    ],
  ])("are refused by the database in plain: %s", async (_, insert) => {
    await expect(insert.execute(test.database.owner)).rejects.toThrow(/violates check constraint/);
  });

  // The statements are the same, and an empty embedded store takes long to bring up.
  it.runIf(kind === "server")("of the version before are gone with the migration, and what people gave to programs stays", async () => {
    const before = await openEmptyDatabase(kind);
    const { owner } = before.database;
    try {
      await migrate(owner, { files: readMigrations().filter(({ name }) => name < "0016") });
      for (const statement of [
        sql`insert into toolwright.users (id, name, email) values ('ann', 'Ann', 'ann@example.org')`,
        sql`insert into toolwright.auth_sessions (id, token, user_id, expires_at, updated_at) values ('s', 'plain-token', 'ann', now() + interval '1 day', now())`,
        sql`insert into toolwright.auth_verifications (id, identifier, value, expires_at) values ('v', 'plain-state', '{}', now())`,
        sql`insert into toolwright.auth_accounts (id, account_id, provider_id, user_id, id_token, updated_at) values ('a', 'a', 'oidc', 'ann', 'plain-id-token', now())`,
        sql`insert into toolwright.oauth_clients (id, client_id, redirect_uris) values ('c', 'c', '[]')`,
        sql`insert into toolwright.oauth_refresh_tokens (id, token, client_id, session_id, user_id, scopes, expires_at, created_at)
          values ('r', ${hashSecret("r")}, 'c', 's', 'ann', '[]', now(), now())`,
      ])
        await statement.execute(owner);
      await migrate(owner);
      const left = async (table: string) => (await sql`select t.* from ${sql.table(`toolwright.${table}`)} t`.execute(owner)).rows;
      expect(await left("auth_sessions")).toEqual([]);
      expect(await left("auth_verifications")).toEqual([]);
      expect(await left("auth_accounts")).toMatchObject([{ id: "a", id_token: null }]);
      expect(await left("oauth_refresh_tokens")).toMatchObject([{ id: "r", session_id: null }]);
    } finally {
      await before.cleanup();
    }
  });
});
