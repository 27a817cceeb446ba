import type { SecretStore } from "../ports/secret-store.ts";

export interface MemorySecretStore extends SecretStore {
  set(tenant: string, name: string, value: string | undefined): void;
}

/** Keeps secrets in memory. */
export function createMemorySecretStore(): MemorySecretStore {
  const rows = new Map<string, { value: string | undefined; generation: number }>();
  const keyOf = (tenant: string, name: string) => JSON.stringify([tenant, name]);
  return {
    has: (tenant, name) => rows.get(keyOf(tenant, name))?.value !== undefined,
    generation: (tenant, name) => String(rows.get(keyOf(tenant, name))?.generation ?? 0),
    get: (tenant, name) => Promise.resolve(rows.get(keyOf(tenant, name))?.value),
    set(tenant, name, value) {
      const key = keyOf(tenant, name);
      rows.set(key, { value, generation: (rows.get(key)?.generation ?? 0) + 1 });
    },
  };
}
