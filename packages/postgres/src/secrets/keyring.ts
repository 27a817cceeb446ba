import { createHash, createSecretKey, type KeyObject } from "node:crypto";

/** Bytes of a master key. */
export const masterKeyBytes = 32;

/** A key that wraps the data keys of secrets. */
export interface MasterKey {
  /** Tells keys apart, and says nothing about them. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The master keys of a process. Asked anew each time, so that a key that is added takes effect at once. */
export interface Keyring {
  /** The one that wraps from now on. Throws when there is none. */
  current(): MasterKey;
  /** Any that unwraps, the current one among them. */
  find(id: string): MasterKey | undefined;
}

export function toMasterKey(bytes: Uint8Array): MasterKey {
  if (bytes.length !== masterKeyBytes) throw new TypeError(`A master key has ${masterKeyBytes} bytes, this one has ${bytes.length}.`);
  const id = createHash("sha256").update("toolwright master key\n").update(bytes).digest("hex").slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}

/** The first key wraps, all of them unwrap. */
export function createKeyring([current, ...old]: readonly [MasterKey, ...MasterKey[]]): Keyring {
  const keys = new Map([current, ...old].map((key) => [key.id, key]));
  return { current: () => current, find: (id) => keys.get(id) };
}
