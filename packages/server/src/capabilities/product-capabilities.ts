import type { CapabilityProvider } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import {
  codeCapability,
  type KnowledgeParts,
  knowledgeCapability,
  type MemoryParts,
  memoryCapability,
  type SearchParts,
  searchCapability,
} from "@toolwright/tools";

interface ProductParts {
  readonly clock: Clock;
  readonly browser: CapabilityProvider<"browser">;
  readonly memory: MemoryParts;
  readonly knowledge: KnowledgeParts;
  readonly search: SearchParts;
}

/** What a server gives the tools that need more than a machine, each by a provider that loads its parts when it is first used. */
export function productCapabilities({ clock, browser, memory, knowledge, search }: ProductParts): readonly CapabilityProvider[] {
  return [browser, codeCapability({ clock }), memoryCapability(memory), knowledgeCapability(knowledge), searchCapability(search)];
}
