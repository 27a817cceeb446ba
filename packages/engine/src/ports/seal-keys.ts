/** A key for HMAC or AEAD. */
export interface SealKey {
  /** Tells keys apart, and says nothing about them: `^[0-9a-z]{1,64}$`. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/**
 * Keys that seal what clients carry for a while. *Contract:* every process of one store finds every key of the others; a key is found for at least a
 * day after another one took its place.
 */
export interface SealKeys {
  /** The one that seals now. */
  current(): Promise<SealKey>;
  /** Any that opens, the current one among them. */
  find(id: string): Promise<SealKey | undefined>;
}

/**
 * A key of each tenant, under which sensitive members are sealed where a call waits with them. *Contract:* every process of one store gets the same
 * key of a tenant, for as long as the tenant lives. Rejects with `secret_unreadable` where the key cannot be had.
 */
export interface TenantKeys {
  /** 32 bytes. */
  of(tenant: string): Promise<Uint8Array>;
}
