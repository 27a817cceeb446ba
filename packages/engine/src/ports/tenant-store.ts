import { ToolwrightError } from "../contract/errors.ts";
import { misfitAt } from "../contract/misfit-at.ts";
import { definePort } from "./define-port.ts";

/** The tenant that every store has from its beginning. */
export const defaultTenant = "default";

export interface TenantRecord {
  /** 1 to 63 lower-case letters, digits, `-` and `_`, with a letter or digit first. */
  readonly tenant: string;
  /** For people: 1 to 100 characters in one line. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; while it is there, nobody of the tenant gets in and nothing runs for it. */
  readonly suspendedAt?: number;
}

/** The tenants of a store, for operators. *Contract:* `has` finds a tenant as soon as it was made, whichever process made it. */
export interface TenantStore extends Tenants {
  /** By tenant. */
  list(): Promise<readonly TenantRecord[]>;
  get(tenant: string): Promise<TenantRecord | undefined>;
  /** Rejects with `identity_refused` when the name is taken or not fit. */
  create(tenant: Pick<TenantRecord, "tenant" | "name">): Promise<TenantRecord>;
  /** The tenant as it is, or made now and named like itself. Rejects with `identity_refused` when the name is not fit. */
  ensure(tenant: string): Promise<TenantRecord>;
  /** Rejects with `tenant_not_found`. */
  suspend(tenant: string): Promise<void>;
  /** Rejects with `tenant_not_found`. */
  resume(tenant: string): Promise<void>;
}

export const tenantsPort = definePort<TenantStore>()("tenants", "a store of tenants, such as createMemoryTenantStore()");

/** The error of a tenant that does not exist. */
export function tenantNotFound(tenant: string): ToolwrightError {
  return new ToolwrightError("tenant_not_found", describeMissingTenant(tenant));
}

/** What happened and what to do, for embedders and for the command line. */
export function describeMissingTenant(tenant: string): string {
  const name = JSON.stringify(tenant);
  return `There is no tenant ${name}, so nothing ran. Make it with store.tenants.ensure(${name}), or with: toolwright tenants create ${tenant}`;
}

/** Throws `identity_refused` for what cannot name a tenant. */
export function checkTenant({ tenant, name }: Pick<TenantRecord, "tenant" | "name">): void {
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(tenant))
    throw misfitAt(
      "/tenant",
      "identity_refused",
      `"${tenant}" is not a name for a tenant. Use up to 63 lower-case letters, digits, - and _, with a letter or digit first.`,
    );
  checkTitle("tenant", name);
}

/** Throws `identity_refused` for what a line of a list cannot hold. */
export function checkTitle(what: "tenant" | "key", name: string): void {
  if (/^[^\p{Cc}\u2028\u2029]{1,100}$/u.test(name) && name.trim() !== "") return;
  throw misfitAt("/name", "identity_refused", `The name of a ${what} has 1 to 100 characters, without line breaks and control characters.`);
}

/** The error of a tenant whose name another one has. */
export function tenantTaken(tenant: string): ToolwrightError {
  return misfitAt("/tenant", "identity_refused", `There is a tenant ${tenant} already. Choose another name.`);
}

/** Which tenants there are. */
export interface Tenants {
  /** *Contract:* at once for one that was known before; asked at each call. Rejects when it cannot be found out. */
  has(tenant: string): boolean | Promise<boolean>;
  /** Since when nothing runs for it. Absent where no tenant is ever suspended. */
  get?(tenant: string): Promise<Pick<TenantRecord, "suspendedAt"> | undefined>;
}

/** For an embedder that keeps no list of them. */
export const everyTenant: Tenants = { has: () => true };
