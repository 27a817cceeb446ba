import { createRandomIds, type IdentityAdmin, type IdentityOptions, systemClock } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import { identifyKey } from "./identify-key.ts";
import { identifyMember } from "./identify-member.ts";
import { acceptInvitations, findInvitation, inviteMember, isInvited, listInvitations } from "./invitations.ts";
import { listMembers, removeMember, setMemberRole } from "./members.ts";
import { membershipsOf } from "./memberships-of.ts";
import { defineRole, listRoles, removeRole } from "./own-roles.ts";

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
