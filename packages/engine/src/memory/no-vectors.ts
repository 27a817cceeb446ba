import type { VectorIndex } from "../ports/text-index.ts";

/** Of a store that lasts no longer than its process. */
export const noVectors: VectorIndex = {
  unavailable: "A store in memory keeps no vectors.",
  pending: async () => [],
  keep: async () => {},
  onPending: () => () => {},
};
