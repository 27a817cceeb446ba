import type { CapabilityProvider } from "@toolwright/engine";
import { createRandomIds, type MemoryStore } from "@toolwright/engine/ports";
import { codeCapability, type MemoryParts, memoryCapability, type SearchParts, searchCapability } from "@toolwright/tools";

interface ProductParts extends Pick<SearchParts, "clock" | "http" | "secrets">, Pick<MemoryParts, "foreign"> {
  readonly search: SearchParts["operator"];
  readonly memories: MemoryStore;
  readonly memoryEmbedder: MemoryParts["embedder"];
}

/** What a server gives the tools that need more than a machine, each by a provider that loads its parts when it is first used. */
export function productCapabilities(parts: ProductParts): readonly CapabilityProvider[] {
  const { clock, http, secrets, search: operator, foreign, memories, memoryEmbedder } = parts;
  return [
    codeCapability({ clock }),
    searchCapability({ clock, http, secrets, operator }),
    memoryCapability({ store: memories, embedder: memoryEmbedder, foreign, clock, ids: createRandomIds() }),
  ];
}
