import { type Clock, systemClock } from "../ports/clock.ts";
import { checkTenant, defaultTenant, type TenantRecord, type TenantStore, tenantNotFound, tenantTaken } from "../ports/tenant-store.ts";

/** Keeps tenants in memory, with the tenant `default` from the beginning. */
export function createMemoryTenantStore({ clock = systemClock }: { readonly clock?: Clock } = {}): TenantStore {
  const records = new Map<string, TenantRecord>();
  const add = (given: Pick<TenantRecord, "tenant" | "name">) => {
    checkTenant(given);
    const record = { tenant: given.tenant, name: given.name, createdAt: clock.now() };
    records.set(record.tenant, record);
    return record;
  };
  const find = (tenant: string) => {
    const record = records.get(tenant);
    if (!record) throw tenantNotFound(tenant);
    return record;
  };
  add({ tenant: defaultTenant, name: "Default" });
  return {
    has: (tenant) => records.has(tenant),
    list: async () => [...records.values()].sort((a, b) => (a.tenant < b.tenant ? -1 : 1)),
    get: async (tenant) => records.get(tenant),
    async create(given) {
      if (records.has(given.tenant)) throw tenantTaken(given.tenant);
      return add(given);
    },
    ensure: async (tenant) => records.get(tenant) ?? add({ tenant, name: tenant }),
    async suspend(tenant) {
      records.set(tenant, { ...find(tenant), suspendedAt: clock.now() });
    },
    async resume(tenant) {
      const { suspendedAt: _, ...active } = find(tenant);
      records.set(tenant, active);
    },
  };
}
