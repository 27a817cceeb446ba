import {
  type ApiKeyRecord,
  apiKeyExpiry,
  apiKeyIdOf,
  findKeyProblem,
  isKeyUseDue,
  makeApiKey,
  type StoredApiKey,
  toIdentified,
} from "../ports/api-keys.ts";
import { systemClock } from "../ports/clock.ts";
import {
  alreadyMember,
  type IdentityAdmin,
  type IdentityOptions,
  type Invitation,
  identityMissing,
  invitationMs,
  lastOwner,
  type Member,
  refuseBuiltin,
  roleInUse,
  rolesWith,
  toAddress,
} from "../ports/identity-admin.ts";
import { createRandomIds } from "../ports/ids.ts";
import { builtinRoles, checkRole, expandPermissions } from "../ports/roles.ts";
import { type TenantStore, tenantNotFound } from "../ports/tenant-store.ts";
import { hashToken, newToken } from "../ports/token-text.ts";
import { createMemoryTenantStore } from "./tenant-store.ts";

export interface MemoryIdentityOptions extends IdentityOptions {
  /** Default: the tenant `default` alone. */
  readonly tenants?: TenantStore;
}

export interface MemoryIdentity extends IdentityAdmin {
  /** Makes the account of a person, who belongs to no tenant yet. */
  addPerson(person: { readonly user: string; readonly name: string; readonly email: string }): void;
}

/** Keeps in memory who belongs to which tenant. */
export function createMemoryIdentity(options: MemoryIdentityOptions = {}): MemoryIdentity {
  const { clock = systemClock, tenants = createMemoryTenantStore({ clock }), knownPermissions: known = () => [] } = options;
  const kept: Kept = { people: new Map(), roles: new Map(), members: [], invitations: [], keys: new Map() };
  const parts = { kept, tenants, known, ids: options.ids ?? createRandomIds(), now: () => clock.now() };
  return {
    addPerson: ({ user, name, email }) => void kept.people.set(user, { name, email: toAddress(email) }),
    ...openMembers(parts),
    ...openRoles(parts),
    ...openInvitations(parts),
    ...openKeys(parts),
  };
}

interface Kept {
  readonly people: Map<string, { readonly name: string; readonly email: string }>;
  /** By tenant and role. */
  readonly roles: Map<string, readonly string[]>;
  members: readonly (Member & { readonly tenant: string })[];
  invitations: readonly { readonly invitation: Invitation; readonly hash: string; readonly isAccepted: boolean }[];
  readonly keys: Map<string, StoredApiKey>;
}

interface Parts {
  readonly kept: Kept;
  readonly tenants: TenantStore;
  readonly known: () => readonly string[];
  readonly ids: NonNullable<IdentityOptions["ids"]>;
  readonly now: () => number;
}

const pairOf = (tenant: string, name: string) => JSON.stringify([tenant, name]);
const by =
  <Row>(text: (row: Row) => string) =>
  (a: Row, b: Row) =>
    text(a) < text(b) ? -1 : 1;

async function requireTenant({ tenants }: Parts, tenant: string): Promise<void> {
  if (!(await tenants.has(tenant))) throw tenantNotFound(tenant);
}

const isSuspended = async ({ tenants }: Parts, tenant: string) => (await tenants.get(tenant))?.suspendedAt !== undefined;

const rolePermissions = ({ roles }: Kept, tenant: string, role: string) => builtinRoles.get(role) ?? roles.get(pairOf(tenant, role));

function requireRole(kept: Kept, tenant: string, role: string): void {
  if (!rolePermissions(kept, tenant, role)) throw identityMissing("role", role);
}

function lookForMember({ members }: Kept, tenant: string, who: string) {
  return members.find((each) => each.tenant === tenant && (each.user === who || each.email === who.toLowerCase()));
}

function findMember(kept: Kept, tenant: string, who: string) {
  const member = lookForMember(kept, tenant, who);
  if (!member) throw identityMissing("member", who);
  return member;
}

function keepAnOwner({ members }: Kept, tenant: string, leaving: string): void {
  const owners = members.filter((each) => each.tenant === tenant && each.role === "owner");
  if (owners.length === 1 && owners[0]?.user === leaving) throw lastOwner();
}

/** True when there was one. */
function withdrawInvitation(kept: Kept, tenant: string, email: string): boolean {
  const address = email.trim().toLowerCase();
  const before = kept.invitations.length;
  kept.invitations = kept.invitations.filter(
    ({ invitation, isAccepted }) => isAccepted || invitation.tenant !== tenant || invitation.email !== address,
  );
  return kept.invitations.length < before;
}

type Members = Pick<IdentityAdmin, "listMembers" | "setMemberRole" | "removeMember" | "membershipsOf" | "identifyMember">;

function openMembers(parts: Parts): Members {
  const { kept, tenants, known } = parts;
  return {
    async listMembers(tenant) {
      await requireTenant(parts, tenant);
      const found = kept.members.filter((each) => each.tenant === tenant).sort(by(({ email }) => email));
      return found.map(({ tenant: _, ...member }) => member);
    },
    async setMemberRole(tenant, { who, role }) {
      requireRole(kept, tenant, role);
      const { user } = findMember(kept, tenant, who);
      if (role !== "owner") keepAnOwner(kept, tenant, user);
      kept.members = kept.members.map((each) => (each.tenant === tenant && each.user === user ? { ...each, role } : each));
    },
    async removeMember(tenant, who) {
      const member = lookForMember(kept, tenant, who);
      if (member) keepAnOwner(kept, tenant, member.user);
      const isWithdrawn = withdrawInvitation(kept, tenant, who);
      if (!member && !isWithdrawn) throw identityMissing("member", who);
      if (!member) return "invitation";
      kept.members = kept.members.filter((each) => each !== member);
      for (const [id, key] of kept.keys) if (key.tenant === tenant && key.record.user === member.user) kept.keys.delete(id);
      return "member";
    },
    async membershipsOf(user) {
      const records = new Map((await tenants.list()).map((record) => [record.tenant, record]));
      const found = kept.members.flatMap(({ tenant, role, ...member }) => {
        const record = records.get(tenant);
        return member.user === user && record?.suspendedAt === undefined ? [{ tenant, name: record?.name ?? tenant, role }] : [];
      });
      return found.sort(by(({ name, tenant }) => `${name}\n${tenant}`));
    },
    async identifyMember({ tenant, user }) {
      if (await isSuspended(parts, tenant)) return undefined;
      const member = kept.members.find((each) => each.tenant === tenant && each.user === user);
      if (!member) return undefined;
      const permissions = expandPermissions(rolePermissions(kept, tenant, member.role) ?? [], known());
      return { tenant, actor: { kind: "user", id: user }, permissions };
    },
  };
}

type Roles = Pick<IdentityAdmin, "defineRole" | "listRoles" | "removeRole">;

function openRoles(parts: Parts): Roles {
  const { kept, now } = parts;
  return {
    async defineRole(tenant, role) {
      checkRole(role);
      await requireTenant(parts, tenant);
      kept.roles.set(pairOf(tenant, role.role), [...role.permissions]);
    },
    async listRoles(tenant) {
      await requireTenant(parts, tenant);
      const all = [...kept.roles].map(([pair, permissions]) => ({ pair: JSON.parse(pair) as [string, string], permissions }));
      const own = all.filter(({ pair }) => pair[0] === tenant).map(({ pair: [, role], permissions }) => ({ role, permissions }));
      return rolesWith(own.sort(by(({ role }) => role)));
    },
    async removeRole(tenant, role) {
      refuseBuiltin(role);
      requireRole(kept, tenant, role);
      const has = (each: { readonly tenant: string; readonly role: string }) => each.tenant === tenant && each.role === role;
      const open = kept.invitations.filter(({ invitation, isAccepted }) => !isAccepted && invitation.expiresAt > now());
      const [who] = [...kept.members.filter(has), ...open.map(({ invitation }) => invitation).filter(has)];
      if (who) throw roleInUse(role, who.email);
      kept.roles.delete(pairOf(tenant, role));
    },
  };
}

type Invitations = Pick<IdentityAdmin, "inviteMember" | "listInvitations" | "findInvitation" | "isInvited" | "acceptInvitations">;

function openInvitations(parts: Parts): Invitations {
  const { kept, ids, now } = parts;
  const open = () => kept.invitations.filter(({ invitation, isAccepted }) => !isAccepted && invitation.expiresAt > now());
  const join = ({ tenant, role }: Invitation, user: string) => {
    const person = kept.people.get(user);
    if (!person) throw identityMissing("member", user);
    const isIn = kept.members.some((each) => each.tenant === tenant && each.user === user);
    if (!isIn) kept.members = [...kept.members, { tenant, user, ...person, role, since: now() }];
  };
  return {
    async inviteMember(tenant, { email, role }) {
      const address = toAddress(email);
      await requireTenant(parts, tenant);
      requireRole(kept, tenant, role);
      if (lookForMember(kept, tenant, address)) throw alreadyMember(tenant, address);
      withdrawInvitation(kept, tenant, address);
      const token = newToken();
      const invitation = { id: ids.next("inv"), tenant, email: address, role, expiresAt: now() + invitationMs };
      kept.invitations = [...kept.invitations, { invitation, hash: hashToken(token), isAccepted: false }];
      return { invitation, token };
    },
    async listInvitations(tenant) {
      const found = open().flatMap(({ invitation }) => (invitation.tenant === tenant ? [invitation] : []));
      return found.sort(by(({ email }) => email));
    },
    findInvitation: async (token) => open().find(({ hash }) => hash === hashToken(token))?.invitation,
    isInvited: async (email) => open().some(({ invitation }) => invitation.email === email.toLowerCase()),
    async acceptInvitations({ user, email }, token) {
      const taken = open().filter(
        ({ invitation, hash }) => invitation.email === email.toLowerCase() && (token === undefined || hash === hashToken(token)),
      );
      for (const { invitation } of taken) join(invitation, user);
      kept.invitations = kept.invitations.map((each) => (taken.includes(each) ? { ...each, isAccepted: true } : each));
      return taken.map(({ invitation }) => invitation);
    },
  };
}

type Keys = Pick<IdentityAdmin, "createApiKey" | "listApiKeys" | "revokeApiKey" | "identifyKey" | "examineKey">;

function openKeys(parts: Parts): Keys {
  const { kept, known, now } = parts;
  const change = (stored: StoredApiKey, changes: Partial<ApiKeyRecord>) =>
    kept.keys.set(stored.record.id, { ...stored, record: { ...stored.record, ...changes } });
  const examineKey: IdentityAdmin["examineKey"] = async (token) => {
    const found = kept.keys.get(apiKeyIdOf(token) ?? "");
    const suspended = found !== undefined && (await isSuspended(parts, found.tenant));
    // Once more: it may have been revoked meanwhile.
    const stored = kept.keys.get(apiKeyIdOf(token) ?? "");
    const problem = findKeyProblem(token, stored, { now: now(), isSuspended: suspended });
    if (!stored || problem) return problem ?? "unknown";
    if (isKeyUseDue(stored.record, now())) change(stored, { lastUsedAt: now() });
    const { user } = stored.record;
    const member = user === undefined ? undefined : lookForMember(kept, stored.tenant, user);
    return toIdentified(stored, { role: member && (rolePermissions(kept, stored.tenant, member.role) ?? []), known: known() });
  };
  return {
    async createApiKey(tenant, wanted) {
      const expiresAt = apiKeyExpiry(wanted, now());
      await requireTenant(parts, tenant);
      const { name, permissions, agent, by: createdBy } = wanted;
      const user = wanted.user === undefined ? undefined : findMember(kept, tenant, wanted.user).user;
      const { id, key } = makeApiKey();
      const owner = { ...(agent !== undefined && { agent }), ...(user !== undefined && { user }) };
      const record = { id, name, permissions: [...permissions], ...owner, createdBy, createdAt: now(), expiresAt };
      kept.keys.set(id, { tenant, hash: hashToken(key), record });
      return { key, record };
    },
    async listApiKeys(tenant) {
      await requireTenant(parts, tenant);
      const found = [...kept.keys.values()].flatMap((key) => (key.tenant === tenant ? [key.record] : []));
      return found.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
    },
    async revokeApiKey(tenant, id) {
      const stored = kept.keys.get(id);
      if (stored?.tenant !== tenant) throw identityMissing("key", id);
      change(stored, { revokedAt: stored.record.revokedAt ?? now() });
    },
    async identifyKey(key) {
      const found = await examineKey(key);
      return typeof found === "string" ? undefined : found;
    },
    examineKey,
  };
}
