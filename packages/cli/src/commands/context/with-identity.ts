import type { IdentityAdmin, TenantStore } from "@toolwright/engine/ports";
import type { Accounts, Store } from "@toolwright/postgres";
import { localTenant } from "@toolwright/server/local";
import { openState } from "@toolwright/server/store";
import { openLogger } from "@toolwright/server/text";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import { requireTenant } from "./require-tenant.ts";
import type { TenantOptions } from "./with-store.ts";

/** Opens what is known of tenants and people, without the tools. Whoever may run the command and reach the store may do all of it. */
export function withIdentity<Result>(
  io: Io,
  options: TenantOptions,
  use: (identity: IdentityAdmin, tenant: string, store: Store) => Promise<Result>,
): Promise<Result> {
  return withState(io, options, async (store) => {
    await requireTenant(store, options.tenant);
    return use(store.openIdentity(), options.tenant ?? localTenant, store);
  });
}

/** Opens the tenants, for whoever runs the store. */
export function withTenants<Result>(io: Io, options: CommonOptions, use: (tenants: TenantStore) => Promise<Result>): Promise<Result> {
  return withState(io, options, ({ tenants }) => use(tenants));
}

/** Opens the accounts of people, which belong to no tenant. */
export function withAccounts<Result>(io: Io, options: CommonOptions, use: (accounts: Accounts) => Promise<Result>): Promise<Result> {
  return withState(io, options, ({ accounts }) => use(accounts));
}

async function withState<Result>(io: Io, options: CommonOptions, use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openState(readSettings(options, io), { command: "command" }, await openLogger(io));
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A time as people read it, to the minute, in UTC. */
export const minuteOf = (at: number | undefined) =>
  at === undefined ? "" : `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}Z`;
