import { hashToken } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../migrate/migrate.ts";
import { readMigrations } from "../migrate/read-migrations.ts";
import { openEmptyDatabase, openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";

describe.each(testDatabaseKinds)("credentials in the tables of the sign-in library, %s (R-TN-7)", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    await sql`insert into toolwright.users (id, name, email) values ('ann', 'Ann', 'ann@example.org')`.execute(test.database.owner);
  });
  afterAll(() => test.cleanup());

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
          values ('r', ${hashToken("r")}, 'c', 's', 'ann', '[]', now(), now())`,
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
