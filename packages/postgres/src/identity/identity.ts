import { type Clock, createRandomIds, type Ids, systemClock } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { type ApiKeyRecord, createApiKey, listApiKeys, type NewApiKey, revokeApiKey } from "./api-keys.ts";
import type { Identified } from "./identified.ts";
import { identifyKey, type KeyProblem } from "./identify-key.ts";
import { identifyMember } from "./identify-member.ts";
import { acceptInvitations, findInvitation, type Invitation, inviteMember, isInvited, listInvitations } from "./invitations.ts";
import { listMembers, type Member, removeMember, setMemberRole } from "./members.ts";
import { type Membership, membershipsOf } from "./memberships-of.ts";
import { defineRole } from "./roles.ts";

export interface IdentityOptions {
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Permissions that the catalogue asks for: what a `*` in a role or key stands for. */
  readonly knownPermissions?: () => readonly string[];
}

/**
 * Who belongs to a tenant, and how they prove it. *Contract:* a tenant is always named by whoever was authenticated, never by what they
 * ask for; what belongs to another tenant answers as what there is not (`identity_not_found`).
 */
export interface Identity {
  listMembers(tenant: string): Promise<readonly Member[]>;
  setMemberRole(tenant: string, change: { readonly who: string; readonly role: string }): Promise<void>;
  /** By id or address; an address that is only asked in loses its invitation. Says which it was. */
  removeMember(tenant: string, who: string): Promise<"member" | "invitation">;
  defineRole(tenant: string, role: { readonly role: string; readonly permissions: readonly string[] }): Promise<void>;
  inviteMember(
    tenant: string,
    wanted: { readonly email: string; readonly role: string; readonly by: string },
  ): Promise<{ readonly invitation: Invitation; readonly token: string }>;
  listInvitations(tenant: string): Promise<readonly Invitation[]>;
  findInvitation(token: string): Promise<Invitation | undefined>;
  isInvited(email: string): Promise<boolean>;
  /** Without a token the caller knows that the address is the person's. */
  acceptInvitations(person: { readonly user: string; readonly email: string }, token?: string): Promise<readonly Invitation[]>;
  createApiKey(tenant: string, wanted: NewApiKey): Promise<{ readonly key: string; readonly record: ApiKeyRecord }>;
  listApiKeys(tenant: string): Promise<readonly ApiKeyRecord[]>;
  revokeApiKey(tenant: string, id: string): Promise<void>;
  /** Where a person belongs, without suspended tenants. */
  membershipsOf(user: string): Promise<readonly Membership[]>;
  identifyKey(key: string): Promise<Identified | undefined>;
  /** The same, with the reason where a key stands for nobody. */
  examineKey(key: string): Promise<Identified | KeyProblem>;
  identifyMember(member: { readonly tenant: string; readonly user: string }): Promise<Identified | undefined>;
}

export function createIdentity(database: Database, options: IdentityOptions = {}): Identity {
  const { clock = systemClock, ids = createRandomIds(), knownPermissions: known = () => [] } = options;
  const parts = { database, clock, ids, known };
  return {
    listMembers: (tenant) => listMembers(database, tenant),
    setMemberRole: (tenant, change) => setMemberRole(database, tenant, change),
    removeMember: (tenant, who) => removeMember(database, tenant, who),
    defineRole: (tenant, role) => defineRole(database, tenant, role),
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
