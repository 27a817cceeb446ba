/** What a store keeps beside a text to find it by. */
export interface IndexedText {
  /** Lower case, without marks on letters. */
  readonly folded: string;
  /** Codes and names of it, for searches by likeness. */
  readonly names: string;
  /** A text search configuration of PostgreSQL. */
  readonly language: string;
}

/** What is asked of an index, already read. */
export interface SearchQuery {
  readonly words: readonly string[];
  readonly codes: readonly string[];
  readonly folded: string;
  readonly language: string;
  readonly vector?: { readonly model: string; readonly value: Float32Array };
}

/** How one was found, by the measure of each search that found it. */
export interface FoundCandidate {
  readonly id: string;
  /** From 1, in the order of the full text search. */
  readonly text?: number;
  /** Likeness of names, 0 to 1. */
  readonly names?: number;
  /** Cosine, -1 to 1. */
  readonly vector?: number;
}

/** What was found, and how rare the words of the query are. */
export interface FoundSet<Item> {
  readonly items: ReadonlyMap<string, Item>;
  readonly candidates: readonly FoundCandidate[];
  /** In how many entries each word of the query stands, of `total`: of common words about. */
  readonly frequencies: Readonly<Record<string, number>>;
  readonly total: number;
  /** Why a search took no part, in sentences. */
  readonly without: readonly string[];
  /** Cosines of found ones that are near each other. */
  readonly alike?: readonly (readonly [one: string, other: string, cosine: number])[];
}

/** A text that has no vector of a model yet. */
export interface PendingVector {
  readonly tenant: string;
  readonly owner: string;
  readonly id: string;
  /** The version that the text is of. */
  readonly mark: number;
  readonly text: string;
}

/** Vectors of what a store keeps. */
export interface VectorIndex {
  /** Why there can be none, in a sentence; undefined where there can be. */
  unavailable(): Promise<string | undefined>;
  /** Entries without a vector of this model. Reading them takes nothing. */
  pending(
    model: string,
    options: { readonly limit: number; readonly tenant?: string; readonly owner?: string },
  ): Promise<readonly PendingVector[]>;
  /** Entries that changed since `mark` are left out. */
  keep(model: string, vectors: readonly (PendingVector & { readonly vector: Float32Array })[]): Promise<void>;
  /** Tells that there may be pending ones, also those of other processes where the store knows. Returns what ends it. */
  onPending(listener: () => void): () => void;
}
