import { type ApprovalStore, passesFilter, type StoredApproval } from "../ports/approval-store.ts";

/** Keeps approvals in memory: lost with the process. */
export function createMemoryApprovalStore(): ApprovalStore {
  const rows = new Map<string, StoredApproval>();
  const keyOf = (tenant: string, id: string) => JSON.stringify([tenant, id]);
  const change = (tenant: string, id: string, apply: (row: StoredApproval) => StoredApproval | undefined): Promise<boolean> => {
    const row = rows.get(keyOf(tenant, id));
    const changed = row && apply(row);
    if (changed) rows.set(keyOf(tenant, id), changed);
    return Promise.resolve(changed !== undefined);
  };
  return {
    create(record) {
      rows.set(keyOf(record.principal.tenant, record.id), { record });
      return Promise.resolve();
    },
    get: (tenant, id) => Promise.resolve(rows.get(keyOf(tenant, id))),
    list(tenant, filter = {}) {
      const listed = [...rows.values()].filter((row) => row.record.principal.tenant === tenant && passesFilter(row, filter));
      return Promise.resolve(listed.sort((a, b) => a.record.createdAt - b.record.createdAt));
    },
    answer: (tenant, id, answer) => change(tenant, id, (row) => (row.answer ? undefined : { ...row, answer })),
    claim: (tenant, id, at) => change(tenant, id, (row) => (row.claimedAt === undefined ? { ...row, claimedAt: at } : undefined)),
  };
}
