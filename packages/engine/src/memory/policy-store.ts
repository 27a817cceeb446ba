import { type PolicyStore, type PolicyVersion, policyConflict, policyPage } from "../ports/policy-store.ts";

/** Policies of the tenants of this process. */
export function createMemoryPolicyStore(): PolicyStore {
  const tenants = new Map<string, PolicyVersion[]>();
  const listeners = new Set<() => void>();
  return {
    current: (tenant) => tenants.get(tenant)?.at(-1),
    async put({ read, ...version }) {
      const versions = tenants.get(version.tenant) ?? [];
      if (versions.length !== read) throw policyConflict(read, versions.length);
      const kept: PolicyVersion = { ...structuredClone(version), revision: read + 1 };
      tenants.set(version.tenant, versions);
      versions.push(kept);
      for (const listener of listeners) listener();
      return kept;
    },
    list: async (tenant, { before = Number.POSITIVE_INFINITY, limit = policyPage } = {}) =>
      (tenants.get(tenant) ?? [])
        .filter(({ revision }) => revision < before)
        .reverse()
        .slice(0, limit),
    find: async (tenant, revision) => tenants.get(tenant)?.[revision - 1],
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
