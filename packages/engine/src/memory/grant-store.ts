import { ToolwrightError } from "../contract/errors.ts";
import { type GrantStore, isLive, passesGrantFilter, type StoredGrant } from "../ports/grant-store.ts";

/** Keeps grants in memory: lost with the process. */
export function createMemoryGrantStore(): GrantStore {
  const rows = new Map<string, StoredGrant>();
  const keyOf = (tenant: string, id: string) => JSON.stringify([tenant, id]);
  const change = (tenant: string, id: string, apply: (row: StoredGrant) => StoredGrant | undefined): Promise<boolean> => {
    const row = rows.get(keyOf(tenant, id));
    const changed = row && apply(row);
    if (changed) rows.set(keyOf(tenant, id), changed);
    return Promise.resolve(changed !== undefined);
  };
  return {
    async create(record) {
      const key = keyOf(record.tenant, record.id);
      if (rows.has(key)) throw new ToolwrightError("internal", `The grant "${record.id}" could not be stored: its id is taken.`);
      rows.set(key, { record, used: 0 });
    },
    get: (tenant, id) => Promise.resolve(rows.get(keyOf(tenant, id))),
    list(tenant, filter = {}) {
      const listed = [...rows.values()].filter((row) => row.record.tenant === tenant && passesGrantFilter(row, filter));
      return Promise.resolve(listed.sort((a, b) => a.record.createdAt - b.record.createdAt));
    },
    use: (tenant, id, at) => change(tenant, id, (row) => (isLive(row, at) ? { ...row, used: row.used + 1, lastUsedAt: at } : undefined)),
    revoke: (tenant, id, revoked) => change(tenant, id, (row) => (row.revoked ? undefined : { ...row, revoked })),
  };
}
