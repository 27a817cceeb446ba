import type { CapabilityProvider } from "@toolwright/engine";

/** What a server gives the tools that need more than a machine, each by a provider that loads its parts when it is first used. */
export function productCapabilities(): readonly CapabilityProvider[] {
  return [];
}
