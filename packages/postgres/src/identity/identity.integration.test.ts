import { createHash } from "node:crypto";
import type { TenantStore } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countWaiting } from "../testing/count-waiting.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createIdentity, type Identity } from "./identity.ts";
import { createPostgresTenantStore } from "./postgres-tenant-store.ts";

const day = 24 * 60 * 60 * 1000;
const known = ["entities.tenant.read", "entities.tenant.delete", "tools.tenant.create"];

describe.each(testDatabaseKinds)("identity, %s", (kind) => {
  let test: TestDatabase;
  let identity: Identity;
  let tenants: TenantStore;
  const clock = createManualClock(Date.now());
  let number = 0;

  beforeAll(async () => {
    test = await openTestDatabase(kind);
    identity = createIdentity(test.database, { clock, knownPermissions: () => known });
    tenants = createPostgresTenantStore(test.database, { clock });
  });
  afterAll(() => test.cleanup());

  /** A person who belongs to a tenant. */
  async function member(tenant: string, role: string) {
    const user = `usr_${++number}`;
    const email = `${user}@example.org`;
    await test.database.asSystem((query) => query.insertInto("toolwright.users").values({ id: user, name: user, email }).execute());
    const { token } = await identity.inviteMember(tenant, { email, role, by: "test" });
    await identity.acceptInvitations({ user, email }, token);
    return { user, email };
  }
  const newTenant = async () => (await tenants.ensure(`tenant-${++number}`)).tenant;
  const newKey = (tenant: string, more: object = {}) =>
    identity.createApiKey(tenant, { name: "ci", permissions: ["entities.tenant.read"], by: "test", ...more });

  it("knows whom a key stands for", async () => {
    const { key, record } = await newKey("acme", { agent: "coder" });
    expect(key).toMatch(/^tw_[a-z0-9]{16}_[A-Za-z0-9_-]{43}$/);
    expect(await identity.identifyKey(key)).toEqual({
      tenant: "acme",
      agent: "coder",
      actor: { kind: "service", id: `key:${record.id}` },
      permissions: ["entities.tenant.read"],
    });
  });

  it("gives a key of a person no more than the person's role has, from one moment to the next", async () => {
    const { user } = await member("acme", "owner");
    const { user: second } = await member("acme", "owner");
    const { key } = await newKey("acme", { user: second, permissions: ["entities.*.*"] });
    expect(await identity.identifyKey(key)).toMatchObject({
      actor: { kind: "user", id: second },
      permissions: ["entities.tenant.delete", "entities.tenant.read"],
    });
    await identity.setMemberRole("acme", { who: second, role: "viewer" });
    expect((await identity.identifyKey(key))?.permissions).toEqual(["entities.tenant.read"]);
    await identity.removeMember("acme", second);
    expect(await identity.identifyKey(key)).toBeUndefined();
    expect((await identity.listMembers("acme")).map((each) => each.user)).toContain(user);
  });

  it.each([
    { name: "empty", change: () => "" },
    { name: "of another form", change: () => "sk-123" },
    { name: "with an unknown id", change: (key: string) => key.replace(/^tw_.{16}/, "tw_0000000000000000") },
    { name: "with another secret", change: (key: string) => `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}` },
    { name: "longer", change: (key: string) => `${key}A` },
    { name: "in capitals", change: (key: string) => key.toUpperCase() },
  ])("does not know a key that is $name", async ({ change }) => {
    const { key } = await newKey("acme");
    expect(await identity.identifyKey(change(key))).toBeUndefined();
  });

  it("ends a key when it is revoked, expires, or its tenant is suspended", async () => {
    const tenant = await newTenant();
    const revoked = await newKey(tenant);
    await identity.revokeApiKey(tenant, revoked.record.id);
    expect(await identity.identifyKey(revoked.key)).toBeUndefined();
    const short = await newKey(tenant, { days: 1 });
    const long = await newKey(tenant, { days: 3 });
    await clock.advance(day);
    expect(await identity.identifyKey(short.key)).toBeUndefined();
    expect(await identity.identifyKey(long.key)).toBeDefined();
    await tenants.suspend(tenant);
    expect(await identity.identifyKey(long.key)).toBeUndefined();
    await tenants.resume(tenant);
    expect(await identity.identifyKey(long.key)).toBeDefined();
  });

  it("keeps of a key its hash alone, and when it was used (R-TN-6)", async () => {
    const tenant = await newTenant();
    const { key, record } = await newKey(tenant);
    const { rows } = await sql<{ row: string }>`select k::text as row from toolwright.api_keys k`.execute(test.database.owner);
    const secret = key.slice(-43);
    expect(rows.filter(({ row }) => row.includes(secret))).toEqual([]);
    expect(rows.some(({ row }) => row.includes(createHash("sha256").update(key).digest("hex")))).toBe(true);
    expect((await identity.listApiKeys(tenant))[0]?.lastUsedAt).toBeUndefined();
    await identity.identifyKey(key);
    expect((await identity.listApiKeys(tenant))[0]).toMatchObject({ id: record.id, lastUsedAt: clock.now() });
  });

  it("takes an invitation once, for its address only, and not when it is old", async () => {
    const tenant = await newTenant();
    const invite = (email: string) => identity.inviteMember(tenant, { email, role: "member", by: "test" });
    const { user, email } = await member(tenant, "owner");
    const { token } = await invite("New@Example.org");
    expect(await identity.acceptInvitations({ user, email }, token)).toEqual([]);
    expect(await identity.findInvitation(token)).toMatchObject({ tenant, email: "new@example.org", role: "member" });
    await clock.advance(8 * day);
    expect(await identity.findInvitation(token)).toBeUndefined();
    expect(await identity.acceptInvitations({ user, email: "new@example.org" }, token)).toEqual([]);
    await expect(invite(email)).rejects.toMatchObject({ code: "identity_refused" });
  });

  it("takes an invitation back: its link opens nothing, and of somebody unknown there is nothing to take", async () => {
    const tenant = await newTenant();
    const { token } = await identity.inviteMember(tenant, { email: "new@example.org", role: "member", by: "test" });
    expect(await identity.removeMember(tenant, "New@Example.org")).toBe("invitation");
    expect(await identity.findInvitation(token)).toBeUndefined();
    expect(await identity.acceptInvitations({ user: "usr_nobody", email: "new@example.org" }, token)).toEqual([]);
    await expect(identity.removeMember(tenant, "new@example.org")).rejects.toMatchObject({ code: "identity_not_found" });
  });

  it("lets nobody stay who takes up an invitation at the moment it is taken back", async () => {
    const tenant = await newTenant();
    for (let round = 0; round < 10; round++) {
      const user = `usr_${++number}`;
      const email = `${user}@example.org`;
      await test.database.asSystem((query) => query.insertInto("toolwright.users").values({ id: user, name: user, email }).execute());
      const { token } = await identity.inviteMember(tenant, { email, role: "member", by: "test" });
      const [removed, accepted] = await Promise.all([
        identity.removeMember(tenant, email),
        identity.acceptInvitations({ user, email }, token),
      ]);
      expect(removed).toBe(accepted.length > 0 ? "member" : "invitation");
      expect(await identity.listMembers(tenant)).toEqual([]);
    }
  });

  it("lets nobody in a second time by an invitation, not even who was removed since", async () => {
    const tenant = await newTenant();
    await member(tenant, "owner");
    const person = { user: `usr_${++number}`, email: `usr_${number}@example.org` };
    await test.database.asSystem((query) =>
      query.insertInto("toolwright.users").values({ id: person.user, name: "A person", email: person.email }).execute(),
    );
    const { token } = await identity.inviteMember(tenant, { email: person.email, role: "member", by: "test" });
    expect(await identity.acceptInvitations(person, token)).toMatchObject([{ tenant }]);
    await identity.removeMember(tenant, person.user);
    expect(await identity.findInvitation(token)).toBeUndefined();
    expect(await identity.isInvited(person.email)).toBe(false);
    for (const given of [token, undefined]) expect(await identity.acceptInvitations(person, given)).toEqual([]);
    expect(await identity.membershipsOf(person.user)).toEqual([]);
  });

  it("knows nobody in a tenant that is suspended, until it is resumed", async () => {
    const tenant = await newTenant();
    const { user } = await member(tenant, "owner");
    await tenants.suspend(tenant);
    expect(await identity.identifyMember({ tenant, user })).toBeUndefined();
    expect(await identity.membershipsOf(user)).toEqual([]);
    await tenants.resume(tenant);
    expect(await identity.identifyMember({ tenant, user })).toMatchObject({ tenant, actor: { id: user } });
    expect(await identity.membershipsOf(user)).toMatchObject([{ tenant }]);
  });

  it("ends an open invitation by a later one of the same address", async () => {
    const tenant = await newTenant();
    const invite = (role: string) => identity.inviteMember(tenant, { email: "twice@example.org", role, by: "test" });
    const { token: first } = await invite("admin");
    const { token: second } = await invite("viewer");
    expect(await identity.findInvitation(first)).toBeUndefined();
    expect(await identity.findInvitation(second)).toMatchObject({ role: "viewer" });
    expect(await identity.listInvitations(tenant)).toMatchObject([{ role: "viewer" }]);
  });

  it("never leaves a tenant without an owner", async () => {
    const tenant = await newTenant();
    const [ann, bob] = [await member(tenant, "owner"), await member(tenant, "owner")];
    const leaving = await Promise.allSettled([ann, bob].map(({ user }) => identity.removeMember(tenant, user)));
    expect(leaving.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [last] = await identity.listMembers(tenant);
    await expect(identity.setMemberRole(tenant, { who: last?.user ?? "", role: "member" })).rejects.toMatchObject({
      code: "identity_refused",
    });
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

  it("has roles of a tenant's own, and no permission that is none", async () => {
    const tenant = await newTenant();
    await identity.defineRole(tenant, { role: "author", permissions: ["tools.*.create", "billing.tenant.read"] });
    const { user } = await member(tenant, "author");
    expect(await identity.identifyMember({ tenant, user })).toMatchObject({ permissions: ["billing.tenant.read", "tools.tenant.create"] });
    await expect(identity.defineRole(tenant, { role: "owner", permissions: [] })).rejects.toMatchObject({ code: "identity_refused" });
    await expect(identity.defineRole(tenant, { role: "all", permissions: ["*"] })).rejects.toMatchObject({ code: "identity_refused" });
    await expect(identity.setMemberRole("acme", { who: user, role: "author" })).rejects.toMatchObject({ code: "identity_not_found" });
  });

  it("answers another tenant as if there were nothing (R-TN-3)", async () => {
    const [mine, theirs] = [await newTenant(), await newTenant()];
    const { user, email } = await member(mine, "owner");
    const { record } = await newKey(mine);
    const { token } = await identity.inviteMember(mine, { email: "late@example.org", role: "member", by: "test" });
    const answers = (work: (id: { key: string; user: string; email: string }) => Promise<unknown>) =>
      Promise.all(
        [
          { key: record.id, user, email },
          { key: "0".repeat(16), user: "usr_none", email: "none@example.org" },
        ].map((id) =>
          work(id).then(
            (value) => JSON.stringify(value),
            (error: { code: string; message: string }) =>
              `${error.code} ${error.message.replaceAll(id.key, "ID").replaceAll(id.email, "ID").replaceAll(id.user, "ID")}`,
          ),
        ),
      );
    const works: Record<string, (id: { key: string; user: string; email: string }) => Promise<unknown>> = {
      revokeApiKey: ({ key }) => identity.revokeApiKey(theirs, key),
      removeMember: ({ user: who }) => identity.removeMember(theirs, who),
      "removeMember by address": ({ email: who }) => identity.removeMember(theirs, who),
      setMemberRole: ({ user: who }) => identity.setMemberRole(theirs, { who, role: "owner" }),
      identifyMember: ({ user: who }) => identity.identifyMember({ tenant: theirs, user: who }),
      "createApiKey for a person": ({ user: who }) => newKey(theirs, { user: who }),
      listMembers: () => identity.listMembers(theirs),
      listApiKeys: () => identity.listApiKeys(theirs),
      listInvitations: () => identity.listInvitations(theirs),
    };
    for (const [name, work] of Object.entries(works)) {
      const [foreign, missing] = await answers(work);
      expect({ name, answer: foreign }).toEqual({ name, answer: missing });
    }
    expect(await identity.findInvitation(token)).toBeDefined();
    expect(await identity.listMembers(mine)).toHaveLength(1);
    expect((await identity.listApiKeys(mine))[0]?.revokedAt).toBeUndefined();
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
