import { sql } from "kysely";
import type { Area } from "./area.ts";
import type { World } from "./open-world.ts";

const emailOf = (name: string) => `${name}@example.org`;

/** A member of the tenant, whose id is the name. */
async function addMember({ identity, store }: World, tenant: string, name: string): Promise<void> {
  const { token } = await identity.inviteMember(tenant, { email: emailOf(name), role: "member", by: "ann" });
  await store.database.asSystem((query) =>
    query
      .insertInto("toolwright.users")
      .values({ id: name, name: "A person", email: emailOf(name) })
      .execute(),
  );
  await identity.acceptInvitations({ user: name, email: emailOf(name) }, token);
}

const members: Area = {
  make: addMember,
  look: async ({ identity }, tenant, id) => [
    (await identity.listMembers(tenant)).find(({ user }) => user === id),
    (await identity.listApiKeys(tenant)).filter(({ user }) => user === id),
  ],
  byId: {
    "identity.setMemberRole (of a member)": ({ identity }, tenant, who) => identity.setMemberRole(tenant, { who, role: "viewer" }),
    "identity.setMemberRole (by address)": ({ identity }, tenant, id) =>
      identity.setMemberRole(tenant, { who: emailOf(id), role: "viewer" }),
    "operations.users.update": ({ operateOf }, tenant, who) => operateOf(tenant)("users.update", { who, role: "viewer" }),
    "operations.users.remove": ({ operateOf }, tenant, who) => operateOf(tenant)("users.remove", { who }),
    "identity.removeMember": ({ identity }, tenant, who) => identity.removeMember(tenant, who),
    "identity.createApiKey": ({ identity }, tenant, user) => identity.createApiKey(tenant, { name: "k", permissions: [], user, by: "ann" }),
    "identity.identifyMember": ({ identity }, tenant, user) => identity.identifyMember({ tenant, user }),
    "identity.inviteMember (who is a member)": ({ identity }, tenant, id) =>
      identity.inviteMember(tenant, { email: emailOf(id), role: "member", by: "ann" }),
  },
  lists: {
    "identity.listMembers": ({ identity }, tenant) => identity.listMembers(tenant),
    "operations.users.list": ({ operateOf }, tenant) => operateOf(tenant)("users.list", {}),
  },
};

const invitations: Area = {
  make: ({ identity }, tenant, name) => identity.inviteMember(tenant, { email: emailOf(name), role: "member", by: "ann" }).then(() => name),
  look: async ({ identity }, tenant, name) => (await identity.listInvitations(tenant)).filter(({ email }) => email === emailOf(name)),
  byId: {
    "identity.inviteMember (who is invited)": ({ identity }, tenant, name) =>
      identity.inviteMember(tenant, { email: emailOf(name), role: "viewer", by: "ann" }),
    "operations.users.invite": ({ operateOf }, tenant, name) => operateOf(tenant)("users.invite", { email: emailOf(name), role: "viewer" }),
    "identity.removeMember (who is invited)": ({ identity }, tenant, name) => identity.removeMember(tenant, emailOf(name)),
  },
  lists: {
    "identity.listInvitations": ({ identity }, tenant) => identity.listInvitations(tenant),
    "operations.users.invitations": ({ operateOf }, tenant) => operateOf(tenant)("users.invitations", {}),
  },
};

const roles: Area = {
  make: ({ identity }, tenant, role) => identity.defineRole(tenant, { role, permissions: ["entities.notes.read"] }),
  look: async ({ identity }, tenant, name) => (await identity.listRoles(tenant)).find(({ role }) => role === name),
  byId: {
    "identity.defineRole": ({ identity }, tenant, role) => identity.defineRole(tenant, { role, permissions: ["*.*.*"] }),
    "operations.roles.set": ({ operateOf }, tenant, role) => operateOf(tenant)("roles.set", { role, permissions: ["*.*.*"] }),
    "identity.removeRole": ({ identity }, tenant, role) => identity.removeRole(tenant, role),
    "operations.roles.remove": ({ operateOf }, tenant, role) => operateOf(tenant)("roles.remove", { role }),
    "identity.inviteMember (in a role)": ({ identity }, tenant, role) =>
      identity.inviteMember(tenant, { email: "new@example.org", role, by: "ann" }),
    "identity.setMemberRole (to a role)": ({ identity }, tenant, role) => identity.setMemberRole(tenant, { who: "nobody", role }),
  },
  lists: {
    "identity.listRoles": ({ identity }, tenant) => identity.listRoles(tenant),
    "operations.roles.list": ({ operateOf }, tenant) => operateOf(tenant)("roles.list", {}),
  },
};

const keys: Area = {
  make: async ({ identity }, tenant, name) => (await identity.createApiKey(tenant, { name, permissions: [], by: "ann" })).record.id,
  look: async ({ identity }, tenant, id) => (await identity.listApiKeys(tenant)).find((each) => each.id === id),
  byId: {
    "identity.revokeApiKey": ({ identity }, tenant, id) => identity.revokeApiKey(tenant, id),
    "operations.keys.revoke": ({ operateOf }, tenant, id) => operateOf(tenant)("keys.revoke", { id }),
  },
  lists: {
    "identity.listApiKeys": ({ identity }, tenant) => identity.listApiKeys(tenant),
    "operations.keys.list": ({ operateOf }, tenant) => operateOf(tenant)("keys.list", {}),
  },
};

/** A tenant as such, asked for by a person of `tenant`. */
const tenants: Area = {
  make: async (world, tenant, name) => {
    await addMember(world, tenant, name);
    await world.store.database.asSystem((query) =>
      sql`insert into toolwright.auth_sessions (id, user_id, token, expires_at, updated_at)
        values (${`session of ${tenant}`}, ${name}, encode(sha256(convert_to(${`token of ${tenant}`}, 'UTF8')), 'hex'), now() + interval '1 day', now())`.execute(
        query,
      ),
    );
    return tenant;
  },
  look: ({ store }, tenant) =>
    store.database.asSystem((query) =>
      sql`select active_tenant from toolwright.auth_sessions where id = ${`session of ${tenant}`}`.execute(query),
    ),
  byId: {
    "signIn.chooseTenant": async ({ signIn, identity }, tenant, wanted) => {
      const user = (await identity.listMembers(tenant)).at(-1)?.user ?? "nobody";
      return signIn.chooseTenant({ user, name: "", email: "", session: `session of ${tenant}`, tenant }, wanted);
    },
  },
};

const host = "api.example.org";

const secrets: Area = {
  make: (world, tenant, name) => world.secrets.set({ tenant, name }, `the value of ${tenant}`, { hosts: [host] }),
  look: async (world, tenant, name) => [
    (await world.secrets.list(tenant)).find((each) => each.name === name),
    await world.secrets.getBound(tenant, name),
  ],
  byId: {
    "secrets.has": (world, tenant, name) => world.secrets.has(tenant, name),
    "secrets.generation": (world, tenant, name) => world.secrets.generation(tenant, name),
    "secrets.get": (world, tenant, name) => world.secrets.get(tenant, name),
    "secrets.getBound": (world, tenant, name) => world.secrets.getBound(tenant, name),
    "secrets.noteUse": async (world, tenant, name) => world.secrets.noteUse({ tenant, name, tool: "file_read" }),
    "secrets.remove": (world, tenant, name) => world.secrets.remove({ tenant, name }),
    "operations.secrets.remove": ({ operateOf }, tenant, name) => operateOf(tenant)("secrets.remove", { name }),
    "operations.secrets.set": async ({ operateOf }, tenant, name) => ({
      ...(await operateOf(tenant)("secrets.set", { name, value: "another value" })),
      generation: "",
    }),
    // Generations of a tenant are numbered on, whatever the secret.
    "secrets.set": async (world, tenant, name) => ({ ...(await world.secrets.set({ tenant, name }, "another value")), generation: "" }),
  },
  lists: {
    "secrets.list": (world, tenant) => world.secrets.list(tenant),
    "operations.secrets.list": ({ operateOf }, tenant) => operateOf(tenant)("secrets.list", {}),
    "secrets.boundTo": (world, tenant) => world.secrets.boundTo(tenant, `https://${host}`),
  },
};

export const peopleAreas: readonly Area[] = [members, invitations, roles, keys, tenants, secrets];
