import type { CapabilityProvider } from "@toolwright/engine";
import type { Clock, ForeignMarks, Ids, MemoryStore } from "@toolwright/engine/ports";
import { codeCapability, type MemoryParts, memoryCapability } from "@toolwright/tools";

interface ProductParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly foreign: ForeignMarks;
  readonly memories: MemoryStore;
  readonly memoryEmbedder?: MemoryParts["embedder"];
}

/** What a server gives the tools that need more than a machine, each by a provider that loads its parts when it is first used. */
export function productCapabilities({ clock, ids, foreign, memories, memoryEmbedder }: ProductParts): readonly CapabilityProvider[] {
  return [codeCapability({ clock }), memoryCapability({ store: memories, embedder: memoryEmbedder, foreign, clock, ids })];
}
