import type { CapabilityProvider } from "@toolwright/engine";
import { codeCapability, type SearchParts, searchCapability } from "@toolwright/tools";

interface ProductParts extends Pick<SearchParts, "clock" | "http" | "secrets"> {
  readonly search: SearchParts["operator"];
}

/** What a server gives the tools that need more than a machine, each by a provider that loads its parts when it is first used. */
export function productCapabilities({ clock, http, secrets, search: operator }: ProductParts): readonly CapabilityProvider[] {
  return [codeCapability({ clock }), searchCapability({ clock, http, secrets, operator })];
}
