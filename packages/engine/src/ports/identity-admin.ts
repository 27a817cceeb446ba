import { ToolwrightError } from "../contract/errors.ts";
import { misfitAt } from "../contract/misfit-at.ts";
import type { ApiKeyRecord, Identified, KeyProblem, NewApiKey } from "./api-keys.ts";
import type { Clock } from "./clock.ts";
import { definePort } from "./define-port.ts";
import type { Ids } from "./ids.ts";
import { builtinRoles } from "./roles.ts";

export interface Member {
  readonly user: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** What its members may, as patterns. */
export interface Role {
  readonly role: string;
  readonly permissions: readonly string[];
  /** Every tenant has it, and nobody changes it. */
  readonly builtIn: boolean;
}

/** A tenant that a person belongs to. */
export interface Membership {
  readonly tenant: string;
  readonly name: string;
  readonly role: string;
}

export interface Invitation {
  readonly id: string;
  readonly tenant: string;
  readonly email: string;
  readonly role: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface NewInvitation {
  readonly email: string;
  readonly role: string;
  /** Who asks the person in. */
  readonly by: string;
}

export interface IdentityOptions {
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Permissions that the catalogue asks for: what a `*` in a role or key stands for. */
  readonly knownPermissions?: () => readonly string[];
}

/**
 * Who belongs to a tenant, and how they prove it. *Contract:* a tenant is always named by whoever was authenticated, never by what they
 * ask for; what belongs to another tenant answers as what there is not (`identity_not_found`). A tenant always keeps an owner.
 */
export interface IdentityAdmin {
  /** By address. */
  listMembers(tenant: string): Promise<readonly Member[]>;
  /** `who` is an id or an address. Rejects with `identity_not_found`, and with `identity_refused` for the last owner. */
  setMemberRole(tenant: string, change: { readonly who: string; readonly role: string }): Promise<void>;
  /**
   * By id or address; an address that is only asked in loses its invitation. Says which it was. The keys of a member go too, and what they
   * gave to programs there. The account stays: the person may belong to other tenants. Rejects as `setMemberRole` does.
   */
  removeMember(tenant: string, who: string): Promise<"member" | "invitation">;
  /** Makes or changes a role of the tenant. Rejects with `identity_refused`. */
  defineRole(tenant: string, role: { readonly role: string; readonly permissions: readonly string[] }): Promise<void>;
  /** The built-in ones, and those of the tenant by name. */
  listRoles(tenant: string): Promise<readonly Role[]>;
  /** Rejects with `identity_not_found`, and with `identity_refused` for one that is built in, or that somebody has or is invited to. */
  removeRole(tenant: string, role: string): Promise<void>;
  /** `token` goes into the link and is the only copy there is; an open invitation of the same address ends. Rejects with `identity_refused`. */
  inviteMember(tenant: string, wanted: NewInvitation): Promise<{ readonly invitation: Invitation; readonly token: string }>;
  /** Those that are open, by address. */
  listInvitations(tenant: string): Promise<readonly Invitation[]>;
  /** The open invitation that a link names. */
  findInvitation(token: string): Promise<Invitation | undefined>;
  /** True when somebody of that address is asked in anywhere. */
  isInvited(email: string): Promise<boolean>;
  /**
   * Makes the person a member wherever their address is asked in: with `token` by that one invitation, without it by every one.
   * *Contract:* without a token, the caller knows that the address is really the person's.
   */
  acceptInvitations(person: { readonly user: string; readonly email: string }, token?: string): Promise<readonly Invitation[]>;
  /** `key` is the only copy there is. Rejects with `identity_refused`, `identity_not_found`. */
  createApiKey(tenant: string, wanted: NewApiKey): Promise<{ readonly key: string; readonly record: ApiKeyRecord }>;
  /** Newest first, those that ended too. */
  listApiKeys(tenant: string): Promise<readonly ApiKeyRecord[]>;
  /** From the next request on the key opens nothing. Rejects with `identity_not_found`. */
  revokeApiKey(tenant: string, id: string): Promise<void>;
  /** Where a person belongs, by the name of the tenant, without suspended ones. */
  membershipsOf(user: string): Promise<readonly Membership[]>;
  identifyKey(key: string): Promise<Identified | undefined>;
  /** Identifies who a key stands for, or says why it stands for nobody. */
  examineKey(key: string): Promise<Identified | KeyProblem>;
  /** A person in one of their tenants; undefined when they are no member of it, or it is suspended. */
  identifyMember(member: { readonly tenant: string; readonly user: string }): Promise<Identified | undefined>;
}

export const identityPort = definePort<IdentityAdmin>()("identity", "a directory of people and keys, such as createMemoryIdentity()");

/** How long an invitation is open, in milliseconds. */
export const invitationMs = 7 * 24 * 60 * 60 * 1000;

/** An e-mail address as it is kept. Throws `identity_refused` for what is none. */
export function toAddress(email: string): string {
  const address = email.trim().toLowerCase();
  if (/^[^\s@]+@[^\s@]+$/.test(address) && address.length <= 254) return address;
  throw misfitAt("/email", "identity_refused", `"${email}" is not an e-mail address.`);
}

/** The error of an invitation to who is in. */
export function alreadyMember(tenant: string, email: string): ToolwrightError {
  return misfitAt("/email", "identity_refused", `${email} is a member of ${tenant} already.`);
}

/** The error of a tenant that would be left without an owner. */
export function lastOwner(): ToolwrightError {
  return new ToolwrightError("identity_refused", "That is the last owner of the tenant. Make somebody else an owner first.");
}

/** The roles that every tenant has, before those of its own. */
export function rolesWith(own: readonly Omit<Role, "builtIn">[]): readonly Role[] {
  const builtIn = [...builtinRoles].map(([role, permissions]) => ({ role, permissions, builtIn: true }));
  return [...builtIn, ...own.map(({ role, permissions }) => ({ role, permissions, builtIn: false }))];
}

/** Throws `identity_refused` for a role that every tenant has. */
export function refuseBuiltin(role: string): void {
  if (builtinRoles.has(role)) throw new ToolwrightError("identity_refused", `The role ${role} is built in, and stays.`);
}

/** Whoever had it would be left with no permission at all. */
export function roleInUse(role: string, who: string): ToolwrightError {
  return new ToolwrightError(
    "identity_refused",
    `The role ${role} is not removed: ${who} has it. Give them another role, or take the invitation back.`,
  );
}

/** The error of what a tenant does not have. */
export function identityMissing(kind: "member" | "role" | "key", name: string): ToolwrightError {
  const messages = {
    member: `${name} is not a member. toolwright users list shows the members.`,
    role: `There is no role ${name}. toolwright roles list shows those there are.`,
    key: `There is no key ${name}. toolwright keys list shows those there are.`,
  };
  if (kind === "role") return misfitAt("/role", "identity_not_found", messages.role);
  return new ToolwrightError("identity_not_found", messages[kind]);
}
