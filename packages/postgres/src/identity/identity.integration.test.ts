import { createHash } from "node:crypto";
import type { IdentityAdmin, TenantStore } from "@toolwright/engine/ports";
import { createManualClock, identityAdminConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countWaiting } from "../testing/count-waiting.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createIdentity } from "./identity.ts";
import { createPostgresTenantStore } from "./postgres-tenant-store.ts";

describe.each(testDatabaseKinds)("identity, %s", (kind) => {
  let test: TestDatabase;
  let identity: IdentityAdmin;
  let tenants: TenantStore;
  const clock = createManualClock(Date.now());
  let number = 0;

  beforeAll(async () => {
    test = await openTestDatabase(kind);
    identity = createIdentity(test.database, { clock });
    tenants = createPostgresTenantStore(test.database, { clock });
  });
  afterAll(() => test.cleanup());

  async function addPerson({ user, name, email }: { readonly user: string; readonly name: string; readonly email: string }): Promise<void> {
    await test.database.asSystem((query) => query.insertInto("toolwright.users").values({ id: user, name, email }).execute());
  }
  const open = async (known: readonly string[]) => {
    const opened = createIdentity(test.database, { clock, knownPermissions: () => known });
    return { identity: opened, tenants, clock, addPerson };
  };
  for (const { name, run } of identityAdminConformance(open)) it(name, run);

  /** A person who belongs to a tenant. */
  async function member(tenant: string, role: string) {
    const user = `person_${++number}`;
    const email = `${user}@example.org`;
    await addPerson({ user, name: user, email });
    const { token } = await identity.inviteMember(tenant, { email, role, by: "test" });
    await identity.acceptInvitations({ user, email }, token);
    return { user, email };
  }
  const newTenant = async () => (await tenants.ensure(`tenant-${++number}`)).tenant;

  it("keeps of a key its hash alone (R-TN-6)", async () => {
    const { key } = await identity.createApiKey(await newTenant(), { name: "ci", permissions: ["entities.tenant.read"], by: "test" });
    const { rows } = await sql<{ row: string }>`select k::text as row from toolwright.api_keys k`.execute(test.database.owner);
    const secret = key.slice(-43);
    expect(rows.filter(({ row }) => row.includes(secret))).toEqual([]);
    expect(rows.some(({ row }) => row.includes(createHash("sha256").update(key).digest("hex")))).toBe(true);
  });

  it.runIf(kind === "server")("keeps one of the last two owners when both have begun to leave", async () => {
    const tenant = await newTenant();
    const owners = [await member(tenant, "owner"), await member(tenant, "owner")];
    const { owner } = test.database;
    const held = await owner.transaction().execute(async (query) => {
      await sql`select from toolwright.memberships where tenant = ${tenant} for update`.execute(query);
      const leaving = Promise.allSettled(owners.map(({ user }) => identity.removeMember(tenant, user)));
      await expect.poll(() => countWaiting(owner)).toBe(2);
      return { leaving };
    });
    expect((await held.leaving).map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await identity.listMembers(tenant)).toHaveLength(1);
  });

  it("shows a tenant its own members among all people, and nothing of accounts and tokens", async () => {
    const tenant = await newTenant();
    const { user } = await member(tenant, "owner");
    const seen = await test.database.asTenant(tenant, (query) => query.selectFrom("toolwright.users").select("id").execute());
    expect(seen).toEqual([{ id: user }]);
    const { rows: tables } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'toolwright'::regnamespace and relkind = 'r' and relname ~ '^(auth|oauth)_'`.execute(
      test.database.owner,
    );
    expect(tables.length).toBe(11);
    for (const { name } of tables)
      await expect(
        test.database.asTenant(tenant, (query) => sql`select from ${sql.table(`toolwright.${name}`)}`.execute(query)),
      ).rejects.toThrow(/permission denied|lacks a right/);
  });
});
