import { randomBytes } from "node:crypto";
import { ToolwrightError } from "@toolwright/engine/errors";
import { sealKeyBytes, type TenantKeys } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import type { Keyring } from "./keyring.ts";
import { openSecret, rewrapSecret, type SealedSecret, type SecretAddress, sealSecret } from "./seal-secret.ts";

/** Where a tenant's key is sealed. No secret has an empty name. */
const placeOf = (tenant: string): SecretAddress => ({ tenant, agent: "", name: "", generation: 0, binding: null });

/** What lists of secrets call a tenant's key. */
export const sealingKey = "(key of sensitive members)";

/** Keys of tenants in PostgreSQL, each made when the tenant first needs it, and sealed under the master key. */
export function createTenantKeys(database: Database, keyring: Keyring): TenantKeys {
  const known = new Map<string, Uint8Array>();
  return {
    async of(tenant) {
      const key = known.get(tenant) ?? (await database.asTenant(tenant, (query) => findOrMake(query, tenant, keyring)));
      known.set(tenant, key);
      return key;
    },
  };
}

async function findOrMake(query: Query, tenant: string, keyring: Keyring): Promise<Uint8Array> {
  return openKey(tenant, (await findKey(query, tenant)) ?? (await makeKey(query, tenant, keyring)), keyring);
}

function openKey(tenant: string, found: SealedSecret, keyring: Keyring): Uint8Array {
  try {
    return Buffer.from(openSecret(found, placeOf(tenant), keyring), "base64");
  } catch (cause) {
    throw unreadable(tenant, found, cause);
  }
}

function findKey(query: Query, tenant: string): Promise<SealedSecret | undefined> {
  return query
    .selectFrom("toolwright.tenant_keys")
    .select(["key_id", "wrapped_key", "sealed"])
    .where("tenant", "=", tenant)
    .executeTakeFirst();
}

/** Makes the key of a tenant; when several processes need it at the same moment, one makes it. */
async function makeKey(query: Query, tenant: string, keyring: Keyring): Promise<SealedSecret> {
  const made = sealSecret(randomBytes(sealKeyBytes).toString("base64"), placeOf(tenant), keyring.current());
  await query
    .insertInto("toolwright.tenant_keys")
    .values({ tenant, ...made })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findKey(query, tenant)) ?? made;
}

function unreadable(tenant: string, { key_id }: SealedSecret, cause: unknown): ToolwrightError {
  const message = `The key that seals sensitive members of the tenant "${tenant}" is encrypted under the master key ${key_id}, with which this process cannot open it. Give it that key as well. Where that key is lost, delete the tenant's row in toolwright.tenant_keys: calls that wait with sensitive members are then void.`;
  return new ToolwrightError("secret_unreadable", message, { cause });
}

/** Keys of all tenants, as they lie in the database. */
export function listTenantKeys(query: Query): Promise<readonly (SealedSecret & { readonly tenant: string })[]> {
  return query.selectFrom("toolwright.tenant_keys").select(["tenant", "key_id", "wrapped_key", "sealed"]).orderBy("tenant").execute();
}

/** Throws `secret_unreadable`. */
export function checkTenantKey(key: SealedSecret & { readonly tenant: string }, keyring: Keyring): void {
  openKey(key.tenant, key, keyring);
}

/** Brings the key of a tenant under the current master key. Throws `secret_unreadable`. */
export async function rewrapTenantKey(query: Query, key: SealedSecret & { readonly tenant: string }, keyring: Keyring): Promise<void> {
  checkTenantKey(key, keyring);
  const { key_id, wrapped_key } = rewrapSecret(key, placeOf(key.tenant), keyring);
  await query.updateTable("toolwright.tenant_keys").set({ key_id, wrapped_key }).where("tenant", "=", key.tenant).execute();
}
