import type { SecretStore } from "../ports/secret-store.ts";

export interface MemorySecretStore extends SecretStore {
  set(tenant: string, name: string, value: string | undefined, agent?: string): void;
}

/** Keeps secrets in memory. */
export function createMemorySecretStore(): MemorySecretStore {
  const rows = new Map<string, { readonly value: string; readonly generation: number }>();
  let last = 0;
  const keyOf = (tenant: string, name: string, agent?: string) => JSON.stringify([tenant, name, agent ?? null]);
  const find = (tenant: string, name: string, agent?: string) => rows.get(keyOf(tenant, name, agent)) ?? rows.get(keyOf(tenant, name));
  return {
    has: (...which) => find(...which) !== undefined,
    generation: (...which) => String(find(...which)?.generation ?? 0),
    get: (...which) => Promise.resolve(find(...which)?.value),
    set(tenant, name, value, agent) {
      last += 1;
      const key = keyOf(tenant, name, agent);
      if (value === undefined) rows.delete(key);
      else rows.set(key, { value, generation: last });
    },
  };
}
