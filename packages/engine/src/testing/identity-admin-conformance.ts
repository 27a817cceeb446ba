import assert from "node:assert/strict";
import type { IdentityAdmin } from "../ports/identity-admin.ts";
import type { TenantStore } from "../ports/tenant-store.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import type { ManualClock } from "./manual-clock.ts";

const knownPermissions = ["entities.tenant.read", "entities.tenant.delete", "tools.tenant.create"];

interface OpenIdentity {
  /** By the clock, with the permissions that `open` was given as the known ones. The place may have tenants and people, without those named `identity-` or `usr_` and a number. */
  readonly identity: IdentityAdmin;
  readonly tenants: TenantStore;
  readonly clock: ManualClock;
  /** Makes the account of a person. */
  addPerson(person: { readonly user: string; readonly name: string; readonly email: string }): Promise<void> | void;
}

const day = 24 * 60 * 60 * 1000;
const refused = { code: "identity_refused" };
const missing = { code: "identity_not_found" };
let number = 0;

/** One tenant of its own for each case, and what cases do again and again. */
async function openBench({ identity, tenants, clock, addPerson }: OpenIdentity) {
  const newTenant = async () => (await tenants.ensure(`identity-${++number}`)).tenant;
  const tenant = await newTenant();
  const person = async () => {
    const user = `usr_${++number}`;
    const email = `${user}@example.org`;
    await addPerson({ user, name: `Person ${user}`, email });
    return { user, email };
  };
  const invite = (email: string, role = "member", into = tenant) => identity.inviteMember(into, { email, role, by: "test" });
  const member = async (role: string, into = tenant) => {
    const found = await person();
    const { token } = await invite(found.email, role, into);
    await identity.acceptInvitations(found, token);
    return found;
  };
  const newKey = (more: object = {}, of = tenant) =>
    identity.createApiKey(of, { name: "ci", permissions: ["entities.tenant.read"], by: "test", ...more });
  return { identity, tenants, clock, tenant, newTenant, person, invite, member, newKey };
}

type Bench = Awaited<ReturnType<typeof openBench>>;
type Cases = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

/** What everything that keeps members, roles, invitations and keys must do. */
export function identityAdminConformance(open: (knownPermissions: readonly string[]) => Promise<OpenIdentity>): readonly ConformanceCase[] {
  return [keyCases, invitationCases, memberCases, tenantCases].flatMap((cases) =>
    Object.entries(cases).map(([name, check]) => ({ name, run: async () => check(await openBench(await open(knownPermissions))) })),
  );
}

const withoutPerson = { user: "usr_nobody", email: "nobody@example.org" };

const keyCases: Cases = {
  async "knows whom a key stands for"({ identity, tenant, newKey }) {
    const { key, record } = await newKey({ agent: "coder" });
    assert.match(key, /^tw_[a-z0-9]{16}_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(await identity.identifyKey(key), {
      tenant,
      agent: "coder",
      actor: { kind: "service", id: `key:${record.id}` },
      permissions: ["entities.tenant.read"],
    });
  },
  async "gives a key of a person no more than the person's role has, from one moment to the next"(bench) {
    const { identity, tenant, member, newKey } = bench;
    const { user } = await member("owner");
    const second = await member("owner");
    const { key, record } = await newKey({ user: second.email, permissions: ["entities.*.*"] });
    const found = await identity.identifyKey(key);
    assert.deepEqual([found?.actor, found?.key], [{ kind: "user", id: second.user }, record.id]);
    assert.deepEqual(found?.permissions, ["entities.tenant.delete", "entities.tenant.read"]);
    await identity.setMemberRole(tenant, { who: second.user, role: "viewer" });
    assert.deepEqual((await identity.identifyKey(key))?.permissions, ["entities.tenant.read"]);
    assert.equal(await identity.removeMember(tenant, second.user), "member");
    assert.equal(await identity.examineKey(key), "unknown");
    assert.deepEqual(
      (await identity.listMembers(tenant)).map((each) => each.user),
      [user],
    );
  },
  async "does not know a key that is not exactly one it gave"({ identity, newKey }) {
    const { key } = await newKey();
    const others = [
      "",
      "sk-123",
      key.replace(/^tw_.{16}/, "tw_0000000000000000"),
      `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`,
      `${key}A`,
      `${key}\n`,
      key.toUpperCase(),
    ];
    for (const other of others) {
      assert.equal(await identity.identifyKey(other), undefined);
      assert.equal(await identity.examineKey(other), "unknown");
    }
  },
  async "ends a key when it is revoked, expires, or its tenant is suspended, and says why"(bench) {
    const { identity, tenants, tenant, clock, newKey } = bench;
    const revoked = await newKey();
    await identity.revokeApiKey(tenant, revoked.record.id);
    const { revokedAt } = (await identity.listApiKeys(tenant))[0] ?? {};
    assert.equal(revokedAt, clock.now());
    assert.equal(await identity.examineKey(revoked.key), "revoked");
    const [short, long] = [await newKey({ days: 1 }), await newKey({ days: 3 })];
    await clock.advance(day);
    await identity.revokeApiKey(tenant, revoked.record.id);
    assert.equal((await identity.listApiKeys(tenant)).find(({ id }) => id === revoked.record.id)?.revokedAt, revokedAt);
    assert.equal(await identity.examineKey(short.key), "expired");
    assert.notEqual(await identity.identifyKey(long.key), undefined);
    await tenants.suspend(tenant);
    assert.equal(await identity.examineKey(long.key), "suspended");
    await tenants.resume(tenant);
    assert.notEqual(await identity.identifyKey(long.key), undefined);
  },
  async "notes when a key was used, and gives the key itself to nobody again"({ identity, tenant, clock, newKey }) {
    const { key, record } = await newKey();
    assert.deepEqual(await identity.listApiKeys(tenant), [record]);
    await identity.identifyKey(key);
    const usedAt = clock.now();
    await clock.advance(59_000);
    await identity.identifyKey(key);
    assert.deepEqual(await identity.listApiKeys(tenant), [{ ...record, lastUsedAt: usedAt }]);
    await clock.advance(1_000);
    await identity.identifyKey(key);
    assert.equal((await identity.listApiKeys(tenant))[0]?.lastUsedAt, clock.now());
    assert.ok(!JSON.stringify(await identity.listApiKeys(tenant)).includes(key.slice(-43)));
  },
  async "lists keys newest first, and refuses what cannot be one"({ identity, tenant, clock, newKey }) {
    const first = await newKey({ name: "first" });
    await clock.advance(1_000);
    await newKey({ name: "second" });
    for (const wrong of [{ days: 0 }, { days: 3651 }, { days: 1.5 }, { name: " " }, { permissions: ["all"] }, { permissions: ["*"] }])
      await assert.rejects(newKey(wrong), refused);
    await assert.rejects(newKey({ user: "usr_nobody" }), missing);
    await assert.rejects(identity.revokeApiKey(tenant, "0".repeat(16)), missing);
    assert.deepEqual(
      (await identity.listApiKeys(tenant)).map(({ name }) => name),
      ["second", "first"],
    );
    assert.equal(first.record.expiresAt - first.record.createdAt, 90 * day);
  },
};

const invitationCases: Cases = {
  async "takes an invitation once, for its address only, and not when it is old"(bench) {
    const { identity, tenant, clock, member, invite } = bench;
    const { user, email } = await member("owner");
    const late = `Late-${++number}@Example.org`;
    const { token, invitation } = await invite(late);
    assert.deepEqual(await identity.acceptInvitations({ user, email }, token), []);
    assert.deepEqual(await identity.findInvitation(token), invitation);
    assert.deepEqual([invitation.tenant, invitation.email, invitation.role], [tenant, late.toLowerCase(), "member"]);
    assert.equal(await identity.isInvited(late), true);
    await clock.advance(8 * day);
    assert.equal(await identity.findInvitation(token), undefined);
    assert.equal(await identity.isInvited(late), false);
    assert.deepEqual(await identity.acceptInvitations({ user, email: late }, token), []);
    await assert.rejects(invite(email), refused);
  },
  async "takes up every invitation of an address that is known to be the person's"(bench) {
    const { identity, tenant, newTenant, person, invite } = bench;
    const found = await person();
    const second = await newTenant();
    for (const into of [tenant, second]) await invite(found.email, "member", into);
    const accepted = await identity.acceptInvitations(found);
    assert.deepEqual(accepted.map((each) => each.tenant).sort(), [tenant, second].sort());
    const memberships = await identity.membershipsOf(found.user);
    assert.deepEqual(
      memberships,
      [tenant, second].sort().map((each) => ({ tenant: each, name: each, role: "member" })),
    );
  },
  async "takes an invitation back: its link opens nothing, and of somebody unknown there is nothing to take"(bench) {
    const { identity, tenant, invite } = bench;
    const { token } = await invite("new@example.org");
    assert.equal(await identity.removeMember(tenant, "New@Example.org"), "invitation");
    assert.equal(await identity.findInvitation(token), undefined);
    assert.deepEqual(await identity.acceptInvitations({ ...withoutPerson, email: "new@example.org" }, token), []);
    await assert.rejects(identity.removeMember(tenant, "new@example.org"), missing);
  },
  async "lets nobody stay who takes up an invitation at the moment it is taken back"(bench) {
    const { identity, tenant, person, invite } = bench;
    for (let round = 0; round < 10; round += 1) {
      const found = await person();
      const { token } = await invite(found.email);
      const [removed, accepted] = await Promise.all([identity.removeMember(tenant, found.email), identity.acceptInvitations(found, token)]);
      assert.equal(removed, accepted.length > 0 ? "member" : "invitation");
      assert.deepEqual(await identity.listMembers(tenant), []);
    }
  },
  async "lets nobody in a second time by an invitation, not even who was removed since"(bench) {
    const { identity, tenant, member, person, invite } = bench;
    await member("owner");
    const found = await person();
    const { token } = await invite(found.email);
    assert.equal((await identity.acceptInvitations(found, token)).length, 1);
    await identity.removeMember(tenant, found.user);
    assert.equal(await identity.findInvitation(token), undefined);
    assert.equal(await identity.isInvited(found.email), false);
    for (const given of [token, undefined]) assert.deepEqual(await identity.acceptInvitations(found, given), []);
    assert.deepEqual(await identity.membershipsOf(found.user), []);
  },
  async "ends an open invitation by a later one of the same address"({ identity, tenant, invite }) {
    const { token: first } = await invite("twice@example.org", "admin");
    const { token: second, invitation } = await invite("twice@example.org", "viewer");
    assert.equal(await identity.findInvitation(first), undefined);
    assert.deepEqual(await identity.findInvitation(second), invitation);
    await invite("again@example.org");
    assert.deepEqual(
      (await identity.listInvitations(tenant)).map(({ email, role }) => [email, role]),
      [
        ["again@example.org", "member"],
        ["twice@example.org", "viewer"],
      ],
    );
  },
  async "refuses an address that is none and a role that there is not"({ invite }) {
    for (const email of ["", "ann", "ann@", "a b@example.org", `${"a".repeat(250)}@example.org`])
      await assert.rejects(invite(email), refused);
    await assert.rejects(invite("new@example.org", "none"), missing);
  },
};

const memberCases: Cases = {
  async "lists members by address, with the role they have"({ identity, tenant, member }) {
    const [ann, bob] = [await member("owner"), await member("viewer")];
    const listed = await identity.listMembers(tenant);
    assert.deepEqual(
      listed.map(({ user, name, email, role }) => [user, name, email, role]),
      [
        [ann.user, `Person ${ann.user}`, ann.email, "owner"],
        [bob.user, `Person ${bob.user}`, bob.email, "viewer"],
      ].sort(([, , a = ""], [, , b = ""]) => (a < b ? -1 : 1)),
    );
    assert.ok(listed.every(({ since }) => since > 0));
  },
  async "never leaves a tenant without an owner"({ identity, tenant, member }) {
    const owners = [await member("owner"), await member("owner")];
    const leaving = await Promise.allSettled(owners.map(({ user }) => identity.removeMember(tenant, user)));
    assert.deepEqual(leaving.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const [last] = await identity.listMembers(tenant);
    const who = last?.user ?? "";
    await assert.rejects(identity.setMemberRole(tenant, { who, role: "member" }), refused);
    await assert.rejects(identity.removeMember(tenant, who), refused);
    await identity.setMemberRole(tenant, { who, role: "owner" });
    assert.equal((await identity.listMembers(tenant))[0]?.role, "owner");
  },
  async "has roles of a tenant's own, and no permission that is none"(bench) {
    const { identity, tenant, newTenant, member } = bench;
    await identity.defineRole(tenant, { role: "author", permissions: ["tools.*.create", "billing.tenant.read"] });
    const { user } = await member("author");
    const found = await identity.identifyMember({ tenant, user });
    assert.deepEqual(found?.permissions, ["billing.tenant.read", "tools.tenant.create"]);
    await identity.defineRole(tenant, { role: "author", permissions: [] });
    assert.deepEqual((await identity.identifyMember({ tenant, user }))?.permissions, []);
    for (const wrong of [
      { role: "owner", permissions: [] },
      { role: "all", permissions: ["*"] },
      { role: "No Name", permissions: [] },
      { role: "__proto__", permissions: [] },
    ])
      await assert.rejects(identity.defineRole(tenant, wrong), refused);
    await assert.rejects(identity.setMemberRole(await newTenant(), { who: user, role: "author" }), missing);
    for (const role of ["none", "constructor", "__proto__"])
      await assert.rejects(identity.setMemberRole(tenant, { who: user, role }), missing);
  },
  async "lists the built-in roles and then those of the tenant, by name"({ identity, tenant, newTenant }) {
    for (const role of ["scribe", "author"]) await identity.defineRole(tenant, { role, permissions: ["tools.*.create"] });
    await identity.defineRole(await newTenant(), { role: "foreign", permissions: [] });
    const roles = await identity.listRoles(tenant);
    assert.deepEqual(
      roles.map(({ role, builtIn }) => [role, builtIn]),
      [...["owner", "admin", "member", "viewer"].map((role) => [role, true]), ["author", false], ["scribe", false]],
    );
    assert.deepEqual(roles.at(-1)?.permissions, ["tools.*.create"]);
  },
  async "removes a role that nobody has, and no other"({ identity, tenant, newTenant, member, invite }) {
    const give = (role: string) => identity.defineRole(tenant, { role, permissions: ["billing.tenant.read"] });
    for (const role of ["used", "promised", "spare"]) await give(role);
    const { user } = await member("used");
    const { invitation } = await invite("late@example.org", "promised");
    for (const role of ["owner", "used", "promised"]) await assert.rejects(identity.removeRole(tenant, role), refused, role);
    await assert.rejects(identity.removeRole(await newTenant(), "spare"), missing);
    await assert.rejects(identity.removeRole(tenant, "__proto__"), missing);
    await identity.removeRole(tenant, "spare");
    await assert.rejects(identity.setMemberRole(tenant, { who: user, role: "spare" }), missing);
    await identity.setMemberRole(tenant, { who: user, role: "viewer" });
    await identity.removeMember(tenant, invitation.email);
    for (const role of ["used", "promised"]) await identity.removeRole(tenant, role);
    assert.equal((await identity.listRoles(tenant)).filter(({ builtIn }) => !builtIn).length, 0);
  },
};

const tenantCases: Cases = {
  async "knows nobody in a tenant that is suspended, until it is resumed"({ identity, tenants, tenant, member }) {
    const { user } = await member("owner");
    await tenants.suspend(tenant);
    assert.equal(await identity.identifyMember({ tenant, user }), undefined);
    assert.deepEqual(await identity.membershipsOf(user), []);
    await tenants.resume(tenant);
    const found = await identity.identifyMember({ tenant, user });
    assert.deepEqual([found?.tenant, found?.actor], [tenant, { kind: "user", id: user }]);
    assert.equal((await identity.membershipsOf(user))[0]?.tenant, tenant);
  },
  async "rejects with tenant_not_found where there is no such tenant"({ identity, newKey, invite }) {
    const noTenant = { code: "tenant_not_found" };
    await assert.rejects(identity.listMembers("identity-none"), noTenant);
    await assert.rejects(identity.listApiKeys("identity-none"), noTenant);
    await assert.rejects(identity.defineRole("identity-none", { role: "author", permissions: [] }), noTenant);
    await assert.rejects(newKey({}, "identity-none"), noTenant);
    await assert.rejects(invite("new@example.org", "member", "identity-none"), noTenant);
  },
  async "answers another tenant as if there were nothing (R-TN-3)"(bench) {
    const { identity, tenant, newTenant, member, newKey, invite } = bench;
    const theirs = await newTenant();
    const { user, email } = await member("owner");
    const { record } = await newKey();
    const { token } = await invite("late@example.org");
    const mine = { key: record.id, user, email };
    const nobodys = { key: "0".repeat(16), user: "usr_none", email: "none@example.org" };
    const works: Record<string, (id: typeof mine) => Promise<unknown>> = {
      revokeApiKey: ({ key }) => identity.revokeApiKey(theirs, key),
      removeMember: ({ user: who }) => identity.removeMember(theirs, who),
      "removeMember by address": ({ email: who }) => identity.removeMember(theirs, who),
      setMemberRole: ({ user: who }) => identity.setMemberRole(theirs, { who, role: "owner" }),
      identifyMember: ({ user: who }) => identity.identifyMember({ tenant: theirs, user: who }),
      "createApiKey for a person": ({ user: who }) => newKey({ user: who }, theirs),
      listMembers: () => identity.listMembers(theirs),
      listApiKeys: () => identity.listApiKeys(theirs),
      listInvitations: () => identity.listInvitations(theirs),
    };
    for (const [name, work] of Object.entries(works)) assert.equal(await answerTo(mine, work), await answerTo(nobodys, work), name);
    assert.notEqual(await identity.findInvitation(token), undefined);
    assert.equal((await identity.listMembers(tenant)).length, 1);
    assert.equal((await identity.listApiKeys(tenant))[0]?.revokedAt, undefined);
  },
};

/** An answer in which nothing is left of what was asked for. */
async function answerTo<Id extends { readonly key: string; readonly user: string; readonly email: string }>(
  id: Id,
  work: (id: Id) => Promise<unknown>,
): Promise<string> {
  const hide = (message: string) => message.replaceAll(id.key, "ID").replaceAll(id.email, "ID").replaceAll(id.user, "ID");
  return work(id).then(
    (value) => JSON.stringify(value) ?? "nothing",
    (error: Error & { code?: string }) => `${error.code} ${hide(error.message)}`,
  );
}
