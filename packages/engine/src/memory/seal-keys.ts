import { createHash, randomBytes } from "node:crypto";
import type { SealKey, SealKeys, TenantKeys } from "../ports/seal-keys.ts";

export const sealKeyBytes = 32;

/** Names a key by its bytes, so that it has the same name in every process. */
export function toSealKey(bytes: Uint8Array): SealKey {
  const id = createHash("sha256").update("toolwright seal key\n").update(bytes).digest("hex").slice(0, 16);
  return { id, key: Uint8Array.from(bytes) };
}

/** One key for as long as this process, or for as long as it is given the same bytes. */
export function createMemorySealKeys(bytes: Uint8Array = randomBytes(sealKeyBytes)): SealKeys {
  const key = toSealKey(bytes);
  return { current: async () => key, find: async (id) => (id === key.id ? key : undefined) };
}

/** Keys of tenants for as long as this process: what is sealed under them opens nowhere else. */
export function createMemoryTenantKeys(): TenantKeys {
  const keys = new Map<string, Uint8Array>();
  return {
    async of(tenant) {
      const key = keys.get(tenant) ?? randomBytes(sealKeyBytes);
      keys.set(tenant, key);
      return key;
    },
  };
}
