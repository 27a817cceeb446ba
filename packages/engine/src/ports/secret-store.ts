/**
 * Secrets of a tenant, and of its agents: an agent's own secret wins over the tenant's of the same name, and no other agent sees it.
 * *Contract:* values never appear in errors; `has` and `generation` are synchronous, from a cache that the store keeps fresh.
 */
export interface SecretStore {
  has(tenant: string, name: string, agent?: string): boolean;
  /** Stands for one value: differs when the secret was set anew, removed, or is hidden by one of the agent's own. */
  generation(tenant: string, name: string, agent?: string): string;
  /** Undefined when it is not set. Rejects with `secret_unreadable`. Afterwards, `generation` is not older than what was read. */
  get(tenant: string, name: string, agent?: string): Promise<string | undefined>;
}
