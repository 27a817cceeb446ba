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
