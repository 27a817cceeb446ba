import type { CapabilityProvider } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import { codeCapability } from "@toolwright/tools";

interface ProductParts {
  readonly clock: Clock;
}

/** What a server gives the tools that need more than a machine, each by a provider that loads its parts when it is first used. */
export function productCapabilities({ clock }: ProductParts): readonly CapabilityProvider[] {
  return [codeCapability({ clock })];
}
