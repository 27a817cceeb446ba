import type { MasterKeys } from "@toolwright/engine/ports";
import type { LocalKeyring } from "./keyring.ts";

/** The keys of this machine, with the secrets that they seal. */
export function masterKeys(keyring: LocalKeyring, secrets: Pick<MasterKeys, "check" | "rotate">): MasterKeys {
  const { place, addKey } = keyring;
  return { place, addKey, check: () => secrets.check(), rotate: () => secrets.rotate() };
}
