import type { BoundSecret, SecretBinding, SecretStore } from "../ports/secret-store.ts";

export interface MemorySecretStore extends SecretStore {
  set(tenant: string, name: string, value: string | undefined, of?: { readonly agent?: string; readonly binding?: SecretBinding }): void;
}

/** Keeps secrets in memory. */
export function createMemorySecretStore(): MemorySecretStore {
  const rows = new Map<string, Row>();
  let last = 0;
  const keyOf = (tenant: string, name: string, agent?: string) => JSON.stringify([tenant, name, agent ?? null]);
  const find = (tenant: string, name: string, agent?: string) => rows.get(keyOf(tenant, name, agent)) ?? rows.get(keyOf(tenant, name));
  return {
    has: (...which) => find(...which) !== undefined,
    generation: (...which) => String(find(...which)?.generation ?? 0),
    get: (...which) => Promise.resolve(find(...which)?.bound.value),
    getBound: (...which) => Promise.resolve(find(...which)?.bound),
    boundTo(tenant, origin, agent) {
      const names = [...new Set([...rows.values()].filter((row) => row.tenant === tenant).map(({ name }) => name))].sort();
      return Promise.resolve(names.filter((name) => find(tenant, name, agent)?.bound.origins.includes(origin)));
    },
    set(tenant, name, value, { agent, binding = { origins: [] } } = {}) {
      last += 1;
      const key = keyOf(tenant, name, agent);
      if (value === undefined) rows.delete(key);
      else rows.set(key, { tenant, name, generation: last, bound: { ...binding, value } });
    },
  };
}

interface Row {
  readonly tenant: string;
  readonly name: string;
  readonly generation: number;
  readonly bound: BoundSecret;
}
