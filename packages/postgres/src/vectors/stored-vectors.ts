import type { VectorIndex } from "@toolwright/engine/ports";

/** The vectors of a store that says what it has saved. */
export interface StoredVectors extends VectorIndex {
  /** What changed, as its source announces it. *Contract:* called after it is there. */
  changed(tenant: string, id: string): void;
}

/** Where no vectors can be kept, for a reason in a sentence. */
export function noVectors(why: string): StoredVectors {
  return { unavailable: async () => why, pending: async () => [], keep: async () => {}, onPending: () => () => {}, changed: () => {} };
}
