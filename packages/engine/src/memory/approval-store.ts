import {
  type ApprovalAnswer,
  type ApprovalStore,
  isSameActor,
  passesFilter,
  type StoredApproval,
  settleApproval,
} from "../ports/approval-store.ts";

interface Row {
  readonly stored: StoredApproval;
  readonly answers: readonly ApprovalAnswer[];
}

/** Keeps approvals in memory: lost with the process. */
export function createMemoryApprovalStore(): ApprovalStore {
  const rows = new Map<string, Row>();
  const keyOf = (tenant: string, id: string) => JSON.stringify([tenant, id]);
  const change = (tenant: string, id: string, apply: (row: Row) => Row | undefined): Promise<boolean> => {
    const row = rows.get(keyOf(tenant, id));
    const changed = row && apply(row);
    if (changed) rows.set(keyOf(tenant, id), changed);
    return Promise.resolve(changed !== undefined);
  };
  return {
    create(record) {
      rows.set(keyOf(record.principal.tenant, record.id), { stored: { record }, answers: [] });
      return Promise.resolve();
    },
    get: (tenant, id) => Promise.resolve(rows.get(keyOf(tenant, id))?.stored),
    list(tenant, filter = {}) {
      const all = [...rows.values()].map(({ stored }) => stored);
      const listed = all.filter((stored) => stored.record.principal.tenant === tenant && passesFilter(stored, filter));
      return Promise.resolve(listed.sort((a, b) => a.record.createdAt - b.record.createdAt));
    },
    answer: (tenant, id, answer) => change(tenant, id, (row) => addAnswer(row, answer)),
    claim: (tenant, id, at) =>
      change(tenant, id, ({ stored, answers }) =>
        stored.claimedAt === undefined ? { stored: { ...stored, claimedAt: at }, answers } : undefined,
      ),
  };
}

function addAnswer({ stored, answers }: Row, answer: ApprovalAnswer): Row | undefined {
  if (stored.answer || answers.some(({ by }) => isSameActor(by, answer.by))) return undefined;
  const all = [...answers, answer];
  return { stored: { ...stored, ...settleApproval(stored.record, all) }, answers: all };
}
