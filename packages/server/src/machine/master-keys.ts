import type { MasterKeys } from "@toolwright/engine/ports";
import type { LocalKeyring } from "./keyring.ts";

/** The keys of this machine, with the secrets that they seal. */
export function masterKeys(keyring: LocalKeyring, secrets: Pick<MasterKeys, "check" | "rotate">): MasterKeys {
  const { place, addKey, find } = keyring;
  return { place, addKey, isKnown: (keyId) => find(keyId) !== undefined, check: () => secrets.check(), rotate: () => secrets.rotate() };
}
