import type { SecretBinding } from "@toolwright/engine/ports";

/** The text that is stored and sealed; null for a secret that is sent nowhere. */
export function writeBinding({ origins, header, user }: SecretBinding): string | null {
  return origins.length === 0 ? null : JSON.stringify({ origins, header, user });
}

export function readBinding(text: string | null): SecretBinding {
  return text === null ? { origins: [] } : (JSON.parse(text) as SecretBinding);
}
