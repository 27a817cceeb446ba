import { sha256 } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { createAccounts, createIdentity, systemHandle } from "@toolwright/postgres";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "@toolwright/postgres/testing";
import { createSignIn, type SignIn } from "@toolwright/sign-in";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const now = Date.UTC(2026, 10, 22);
const origin = "https://tools.example.org";

describe.each(testDatabaseKinds)("access tokens, %s", (kind) => {
  let test: TestDatabase;
  let signIn: SignIn;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    const { database } = test;
    const parts = { handle: systemHandle(database), identity: createIdentity(database), accounts: createAccounts(database) };
    signIn = await createSignIn(
      { ...parts, clock: createManualClock(now) },
      { origin, resource: `${origin}/mcp`, secret: "s".repeat(32), addressHeader: "x-address", log: () => {} },
    );
    await sql`insert into toolwright.users (id, name, email) values ('ann', 'Ann', 'ann@example.org')`.execute(test.database.owner);
    await sql`insert into toolwright.oauth_clients (id, client_id, redirect_uris, disabled) values ('1', 'notes', '[]', false), ('2', 'off', '[]', true)`.execute(
      test.database.owner,
    );
    await sql`insert into toolwright.oauth_consents (id, client_id, user_id, reference_id, scopes, created_at, updated_at)
      values ('1', 'notes', 'ann', 'acme', '["tools"]', now(), now()), ('2', 'off', 'ann', 'acme', '["tools"]', now(), now())`.execute(
      test.database.owner,
    );
  });
  afterAll(() => test.cleanup());

  const good = {
    client: "notes",
    tenant: "acme" as string | null,
    expires: now + 1000,
    revoked: null as Date | null,
    scope: "tools",
    age: 0,
  };
  it.each([
    { name: "a good one", row: good, isKnown: true },
    { name: "one that has expired", row: { ...good, expires: now }, isKnown: false },
    { name: "one that was revoked", row: { ...good, revoked: new Date(now) }, isKnown: false },
    { name: "one of a client that is switched off", row: { ...good, client: "off" }, isKnown: false },
    { name: "one for a tenant that the person gave no consent for", row: { ...good, tenant: "other" }, isKnown: false },
    { name: "one for no tenant", row: { ...good, tenant: null }, isKnown: false },
    { name: "one for more than the consent", row: { ...good, scope: "approvals" }, isKnown: false },
    { name: "one of before the consent", row: { ...good, age: 90 }, isKnown: false },
    { name: "one from a server whose clock is late", row: { ...good, age: 2 }, isKnown: true },
  ])("knows $name: $isKnown (R-MC-6)", async ({ name, row, isKnown }) => {
    const { client, tenant, expires, revoked, scope, age } = row;
    await sql`insert into toolwright.oauth_access_tokens (id, token, client_id, user_id, reference_id, scopes, resources, expires_at, created_at, revoked)
      values (${name}, ${sha256(name)}, ${client}, 'ann', ${tenant}, ${JSON.stringify([scope])}, '["https://tools.example.org/mcp"]', ${new Date(expires)},
        now() - make_interval(secs => ${age}), ${revoked})`.execute(test.database.owner);
    const identified = await signIn.identifyAccessToken(`twa_${name}`);
    const known = {
      client: "notes",
      user: "ann",
      tenant: "acme",
      scopes: ["tools"],
      resources: ["https://tools.example.org/mcp"],
      expiresAt: now + 1000,
    };
    expect(identified).toEqual(isKnown ? known : undefined);
  });

  it("ends with the consent", async () => {
    expect(await signIn.identifyAccessToken("twa_a good one")).toBeDefined();
    await sql`delete from toolwright.oauth_consents where client_id = 'notes'`.execute(test.database.owner);
    expect(await signIn.identifyAccessToken("twa_a good one")).toBeUndefined();
  });
});
