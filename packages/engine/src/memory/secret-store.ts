import { type Clock, systemClock } from "../ports/clock.ts";
import {
  checkSecretName,
  checkSecretValue,
  type SecretAdmin,
  type SecretEntry,
  type SecretName,
  toSecretBinding,
} from "../ports/secret-admin.ts";
import type { BoundSecret, SecretStore } from "../ports/secret-store.ts";

/** Keeps secrets in memory: what tools use, and what people do with them. */
export function createMemorySecretStore({ clock = systemClock }: { readonly clock?: Clock } = {}): SecretStore & SecretAdmin {
  const rows = new Map<string, Row>();
  let last = 0;
  const find = (tenant: string, name: string, agent?: string) =>
    rows.get(keyOf({ tenant, name, agent })) ?? rows.get(keyOf({ tenant, name }));
  const ofTenant = (tenant: string) => [...rows.values()].filter(({ entry }) => entry.tenant === tenant).sort(inOrder);
  return {
    has: (...which) => find(...which) !== undefined,
    generation: (...which) => find(...which)?.entry.generation ?? "0",
    get: async (...which) => find(...which)?.bound.value,
    getBound: async (...which) => find(...which)?.bound,
    async boundTo(tenant, origin, agent) {
      const names = new Set(ofTenant(tenant).map(({ entry }) => entry.name));
      return [...names].filter((name) => find(tenant, name, agent)?.bound.origins.includes(origin));
    },
    noteUse({ tool, ...secret }) {
      const row = find(secret.tenant, secret.name, secret.agent);
      if (row) rows.set(keyOf(row.entry), { ...row, lastUse: { lastUsedAt: clock.now(), lastUsedBy: tool } });
    },
    async set({ tenant, name, agent }, value, choice = { hosts: [] }) {
      checkSecretName({ tenant, name, agent });
      checkSecretValue(value, name);
      const binding = toSecretBinding(choice);
      last += 1;
      const key = keyOf({ tenant, name, agent });
      const changedAt = clock.now();
      const before = rows.get(key);
      const createdAt = before?.entry.createdAt ?? changedAt;
      const entry = { tenant, ...(agent !== undefined && { agent }), name, generation: String(last), ...binding, createdAt, changedAt };
      rows.set(key, { entry, lastUse: before?.lastUse, bound: { ...binding, value } });
      return { ...entry, ...before?.lastUse };
    },
    remove: async (secret) => rows.delete(keyOf(secret)),
    list: async (tenant) => ofTenant(tenant).map(({ entry, lastUse }) => ({ ...entry, ...lastUse })),
    check: async () => ({ unreadable: [] }),
  };
}

interface Row {
  readonly entry: SecretEntry;
  readonly bound: BoundSecret;
  /** Outlives the value. */
  readonly lastUse?: Pick<SecretEntry, "lastUsedAt" | "lastUsedBy"> | undefined;
}

const keyOf = ({ tenant, name, agent }: SecretName) => JSON.stringify([tenant, name, agent ?? null]);
const wordsOf = ({ name, agent = "" }: SecretName) => `${name}\n${agent}`;
const inOrder = ({ entry: a }: Row, { entry: b }: Row) => (wordsOf(a) < wordsOf(b) ? -1 : 1);
