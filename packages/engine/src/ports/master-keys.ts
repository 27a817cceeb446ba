import { definePort } from "./define-port.ts";
import type { SecretCheck, UnreadableSecret } from "./secret-admin.ts";

/** A key under which secrets are. */
export interface NeededKey {
  readonly keyId: string;
  /** How many secrets, and keys of tenants, need it. */
  readonly secrets: number;
  readonly isCurrent: boolean;
  /** False: it has to be given, or those secrets are lost. */
  readonly isKnown: boolean;
}

/** Which keys are needed, and which secrets cannot be read with those at hand. */
export interface KeyCheck extends SecretCheck {
  /** `none` while there is no key: the first secret that is set makes it. */
  readonly currentKeyId: string;
  /** Keys that are not among them can be taken away; backups may still need them. */
  readonly needed: readonly NeededKey[];
}

/** What came under another key. */
export interface Rotation {
  /** Id of the key that all of them need now. */
  readonly keyId: string;
  readonly rewrapped: number;
  /** They stay as they are. */
  readonly unreadable: readonly UnreadableSecret[];
}

/**
 * The keys under which the secrets of all tenants are sealed. *Contract:* for whoever runs the server; no answer and no error holds a key or the value
 * of a secret.
 */
export interface MasterKeys {
  /** Where they come from, for people: a file, or a variable of the environment. */
  readonly place: string;
  /** Makes a key that encrypts from then on. Throws `settings_invalid` where the keys come from the environment. */
  addKey(): void;
  /** Whether that key is at hand. */
  isKnown(keyId: string): boolean;
  /** Brings all secrets and keys of all tenants under the key that encrypts, while others read and write. Rejects with `secret_unreadable` where there is none. */
  rotate(): Promise<Rotation>;
  /** Tries to open every secret, and counts which keys are needed. Makes none. */
  check(): Promise<KeyCheck>;
}

export const masterKeysPort = definePort<MasterKeys>()("masterKeys", "who has the master keys, as @toolwright/server does");
