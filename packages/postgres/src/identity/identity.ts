import {
  createRandomIds,
  expandPermissions,
  type Identified,
  type IdentityAdmin,
  type IdentityOptions,
  type Membership,
  systemClock,
} from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import { identifyKey } from "./identify-key.ts";
import { acceptInvitations, findInvitation, inviteMember, isInvited, listInvitations } from "./invitations.ts";
import { listMembers, removeMember, setMemberRole } from "./members.ts";
import { defineRole, listRoles, removeRole } from "./own-roles.ts";
import { permissionsOfRole } from "./roles.ts";

/** Who belongs to the tenants of the store. */
export function createIdentity(database: Database, options: IdentityOptions = {}): IdentityAdmin {
  const { clock = systemClock, ids = createRandomIds(), knownPermissions: known = () => [] } = options;
  const parts = { database, clock, ids, known };
  return {
    listMembers: (tenant) => listMembers(database, tenant),
    setMemberRole: (tenant, change) => setMemberRole(database, tenant, change),
    removeMember: (tenant, who) => removeMember(database, tenant, who),
    defineRole: (tenant, role) => defineRole(database, tenant, role),
    listRoles: (tenant) => listRoles(database, tenant),
    removeRole: (tenant, role) => removeRole(parts, tenant, role),
    inviteMember: (tenant, wanted) => inviteMember(parts, tenant, wanted),
    listInvitations: (tenant) => listInvitations(parts, tenant),
    findInvitation: (token) => findInvitation(parts, token),
    isInvited: (email) => isInvited(parts, email),
    acceptInvitations: (person, token) => acceptInvitations(parts, person, token),
    createApiKey: (tenant, wanted) => createApiKey(parts, tenant, wanted),
    listApiKeys: (tenant) => listApiKeys(database, tenant),
    revokeApiKey: (tenant, id) => revokeApiKey(parts, tenant, id),
    membershipsOf: (user) => membershipsOf(database, user),
    async identifyKey(key) {
      const found = await identifyKey(parts, key);
      return typeof found === "string" ? undefined : found;
    },
    examineKey: (key) => identifyKey(parts, key),
    identifyMember: (member) => database.asSystem((query) => identifyMember(query, member, known())),
  };
}

/** A person in one of their tenants; undefined when they are no member of it, or it is suspended. */
async function identifyMember(
  query: Query,
  { tenant, user }: { readonly tenant: string; readonly user: string },
  known: readonly string[],
): Promise<Identified | undefined> {
  const row = await query
    .selectFrom("toolwright.memberships as m")
    .innerJoin("toolwright.tenants as t", "t.tenant", "m.tenant")
    .select("m.role")
    .where("m.tenant", "=", tenant)
    .where("m.user_id", "=", user)
    .where("t.suspended_at", "is", null)
    .executeTakeFirst();
  if (!row) return undefined;
  const permissions = expandPermissions(await permissionsOfRole(query, tenant, row.role), known);
  return { tenant, actor: { kind: "user", id: user }, permissions };
}

/** The tenants that a person may choose from, by name. */
function membershipsOf(database: Database, user: string): Promise<readonly Membership[]> {
  return database.asSystem((query) =>
    query
      .selectFrom("toolwright.memberships as m")
      .innerJoin("toolwright.tenants as t", "t.tenant", "m.tenant")
      .select(["m.tenant", "t.name", "m.role"])
      .where("m.user_id", "=", user)
      .where("t.suspended_at", "is", null)
      .orderBy("t.name")
      .orderBy("m.tenant")
      .execute(),
  );
}
