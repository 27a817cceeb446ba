import type { Logger } from "@toolwright/engine";
import { createRandomIds } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import { indexText, startDocuments, startVectors } from "@toolwright/tools";
import type { EngineStores } from "../assemble-engine.ts";
import type { Embedders } from "../embedders/open-embedders.ts";

interface LoopParts {
  /** One that lasts has words. */
  readonly store: Pick<EngineStores, "clock" | "knowledge" | "memories"> & Partial<Pick<Store, "words">>;
  readonly embedders: Embedders;
  readonly logger: Logger;
}

/** Works off what waits in a store, in processes that stay. Returns what ends it. */
export function startLoops({ store, embedders, logger }: LoopParts): () => Promise<void> {
  const { clock, memories, knowledge, words } = store;
  const kinds = [
    { index: memories.vectors, embedder: embedders.memoryEmbedder },
    { index: knowledge.vectors, embedder: embedders.knowledgeEmbedder },
  ];
  const stops = kinds.map(({ index, embedder }) => (embedder ? startVectors({ index, embedder, clock, logger }) : async () => {}));
  stops.push(startDocuments({ store: knowledge, clock, ids: createRandomIds(), logger }));
  if (words)
    stops.push(
      words.keepCurrent({
        indexOf: indexText,
        onRemade: (count) => logger.log("info", `Made the words anew that ${count === 1 ? "1 text is" : `${count} texts are`} found by.`),
      }),
    );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
