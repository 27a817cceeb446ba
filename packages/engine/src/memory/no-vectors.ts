import type { VectorIndex } from "../ports/text-index.ts";

export const noVectors: VectorIndex = {
  unavailable: async () => "The store is in memory, which keeps no vectors.",
  pending: async () => [],
  keep: async () => {},
  onPending: () => () => {},
};
