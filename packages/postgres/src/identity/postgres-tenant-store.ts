import {
  type Clock,
  checkTenant,
  systemClock,
  type TenantRecord,
  type TenantStore,
  tenantNotFound,
  tenantTaken,
} from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { announceIdentity } from "./announce-identity.ts";

/** The tenants of the store. `has` keeps those that it found once, and looks any other up each time, as it may have been made since. */
export function createPostgresTenantStore(database: Database, { clock = systemClock }: { readonly clock?: Clock } = {}): TenantStore {
  const known = new Set<string>();
  const get = async (tenant: string) => {
    if (storableText(tenant) !== tenant) return undefined;
    const row = await database.asSystem((query) => selectTenants(query).where("tenant", "=", tenant).executeTakeFirst());
    if (row) known.add(tenant);
    return row && toRecord(row);
  };
  const insert = async (given: Pick<TenantRecord, "tenant" | "name">) => {
    checkTenant(given);
    const { tenant, name } = given;
    const row = await database.asSystem((query) =>
      query
        .insertInto("toolwright.tenants")
        .values({ tenant, name, suspended_at: null })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst(),
    );
    return row && toRecord(row);
  };
  const setSuspended = async (tenant: string, at: Date | null) => {
    const { numUpdatedRows } = await database.asSystem((query) =>
      query.updateTable("toolwright.tenants").set({ suspended_at: at }).where("tenant", "=", tenant).executeTakeFirst(),
    );
    if (numUpdatedRows === 0n) throw tenantNotFound(tenant);
    announceIdentity(database, tenant);
  };
  return {
    has: (tenant) => known.has(tenant) || get(tenant).then((record) => record !== undefined),
    async list() {
      const rows = await database.asSystem((query) => selectTenants(query).orderBy("tenant").execute());
      return rows.map(toRecord);
    },
    get,
    async create(given) {
      const made = await insert(given);
      if (!made) throw tenantTaken(given.tenant);
      return made;
    },
    async ensure(tenant) {
      const record = (await get(tenant)) ?? (await insert({ tenant, name: tenant })) ?? (await get(tenant));
      if (!record) throw tenantNotFound(tenant);
      return record;
    },
    suspend: (tenant) => setSuspended(tenant, new Date(clock.now())),
    resume: (tenant) => setSuspended(tenant, null),
  };
}

/** Rejects with `tenant_not_found` when there is no such tenant. */
export async function requireTenant(query: Query, tenant: string): Promise<void> {
  const found = await query.selectFrom("toolwright.tenants").select("tenant").where("tenant", "=", tenant).executeTakeFirst();
  if (!found) throw tenantNotFound(tenant);
}

function selectTenants(query: Query) {
  return query.selectFrom("toolwright.tenants").select(["tenant", "name", "created_at", "suspended_at"]);
}

function toRecord(row: { tenant: string; name: string; created_at: Date; suspended_at: Date | null }): TenantRecord {
  const { tenant, name, created_at, suspended_at } = row;
  return { tenant, name, createdAt: created_at.getTime(), ...(suspended_at && { suspendedAt: suspended_at.getTime() }) };
}
