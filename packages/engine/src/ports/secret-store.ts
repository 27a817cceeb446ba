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
  /** Gets a secret with the hosts that it may be sent to. Every change of the hosts is a new generation. */
  getBound(tenant: string, name: string, agent?: string): Promise<BoundSecret | undefined>;
  /** Names of the secrets that this caller may send to the origin, in order. */
  boundTo(tenant: string, origin: string, agent?: string): Promise<readonly string[]>;
  /** Takes down that a tool got the secret. *Contract:* returns at once and never throws: no call waits for it or fails by it. */
  noteUse(use: SecretUse): void;
}

/** Which tool got a secret, in the name of which agent. */
export interface SecretUse {
  readonly tenant: string;
  readonly name: string;
  readonly agent?: string | undefined;
  readonly tool: string;
}

/** Where a secret may be sent by its name, without whoever asks for it seeing it, and how. */
export interface SecretBinding {
  /** As `readSecretOrigin` writes them: `https://api.github.com`, `http://127.0.0.1:8080`. None: only tools that declare the secret get it. */
  readonly origins: readonly string[];
  /** Sent bare in this header. Default: `authorization`, as a bearer token, or for this user as a password. */
  readonly header?: string | undefined;
  /** User name of HTTP Basic. Default where git wants one: `x-access-token`. */
  readonly user?: string | undefined;
}

export interface BoundSecret extends SecretBinding {
  readonly value: string;
}
