import type { Logger } from "@toolwright/engine";
import { createRandomIds } from "@toolwright/engine/ports";
import { startDocuments, startVectors } from "@toolwright/tools";
import type { EngineStores } from "../assemble-engine.ts";
import type { Embedders } from "../embedders/open-embedders.ts";

export interface LoopParts {
  readonly store: Pick<EngineStores, "clock" | "knowledge" | "memories">;
  readonly embedders: Embedders;
  readonly logger: Logger;
}

/** Works off what waits in a store, in processes that stay. Returns what ends it. */
export function startLoops({ store, embedders, logger }: LoopParts): () => Promise<void> {
  const { clock, memories, knowledge } = store;
  const kinds = [
    { index: memories.vectors, embedder: embedders.memoryEmbedder },
    { index: knowledge.vectors, embedder: embedders.knowledgeEmbedder },
  ];
  const stops = kinds.map(({ index, embedder }) => (embedder ? startVectors({ index, embedder, clock, logger }) : async () => {}));
  stops.push(startDocuments({ store: knowledge, clock, ids: createRandomIds(), logger }));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
