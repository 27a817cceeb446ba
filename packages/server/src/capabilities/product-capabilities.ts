import type { CapabilityProvider } from "@toolwright/engine";
import type { MemoryStore } from "@toolwright/engine/ports";
import {
  codeCapability,
  type KnowledgeParts,
  knowledgeCapability,
  type MemoryParts,
  memoryCapability,
  type SearchParts,
  searchCapability,
} from "@toolwright/tools";

interface ProductParts extends Pick<SearchParts, "clock" | "http" | "secrets">, Pick<KnowledgeParts, "foreign" | "ids" | "logger"> {
  readonly search: SearchParts["operator"];
  readonly memories: MemoryStore;
  readonly memoryEmbedder?: MemoryParts["embedder"];
  readonly knowledge: KnowledgeParts["store"];
}

/** What a server gives the tools that need more than a machine, each by a provider that loads its parts when it is first used. */
export function productCapabilities(parts: ProductParts): readonly CapabilityProvider[] {
  const { clock, http, ids, foreign, logger, secrets, search: operator, memories, memoryEmbedder, knowledge } = parts;
  return [
    codeCapability({ clock }),
    searchCapability({ clock, http, secrets, operator }),
    memoryCapability({ store: memories, embedder: memoryEmbedder, foreign, clock, ids }),
    knowledgeCapability({ store: knowledge, http, foreign, clock, ids, logger }),
  ];
}
