/** Secrets of a tenant. *Contract:* values never appear in errors; `has` and `generation` are synchronous, from a cache that the store keeps fresh. */
export interface SecretStore {
  has(tenant: string, name: string): boolean;
  /** Changes whenever the secret is set anew. */
  generation(tenant: string, name: string): string;
  /** Undefined when it is not set. */
  get(tenant: string, name: string): Promise<string | undefined>;
}
