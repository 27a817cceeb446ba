import type { CapabilityProvider } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import { codeCapability } from "@toolwright/tools";

interface ProductParts {
  readonly clock: Clock;
  readonly browser: CapabilityProvider<"browser">;
}

/** What a server gives the tools that need more than a machine, each by a provider that loads its parts when it is first used. */
export function productCapabilities({ clock, browser }: ProductParts): readonly CapabilityProvider[] {
  return [codeCapability({ clock }), browser];
}
