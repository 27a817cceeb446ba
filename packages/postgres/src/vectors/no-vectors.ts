import type { VectorIndex } from "@toolwright/engine/ports";

/** Where no vectors can be kept, for a reason in a sentence. */
export function noVectors(unavailable: string): VectorIndex {
  return { unavailable, pending: async () => [], keep: async () => {}, onPending: () => () => {} };
}
