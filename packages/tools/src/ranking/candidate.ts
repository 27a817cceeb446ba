/** How a candidate was found. Numbers are what the store measured; absent: that search did not find it. */
export interface Evidence {
  /** From 1, in the order of the full text search. */
  readonly text?: number | undefined;
  /** Likeness of names, 0 to 1. */
  readonly names?: number | undefined;
  /** Cosine, -1 to 1. */
  readonly vector?: number | undefined;
}

export interface Candidate {
  readonly id: string;
  readonly text: string;
  /** Headings, key, title: words here count double. */
  readonly names: string;
  /** Milliseconds; the newer of two that say the same comes first. */
  readonly savedAt: number;
  readonly evidence: Evidence;
}

/** What a store finds for a query: at most 60 by text, 30 by names, 60 by vectors, each once. */
export interface CandidateSet {
  readonly candidates: readonly Candidate[];
  /** In how many entries each word of the query stands, of `total`; counts stop at 1,000. */
  readonly frequencies: Readonly<Record<string, number>>;
  readonly total: number;
  /** Cosines of pairs that are near each other. */
  readonly alike?: readonly (readonly [one: string, other: string, cosine: number])[] | undefined;
}

export interface Ranked {
  readonly id: string;
  /** 0 to 1, of this query alone. */
  readonly score: number;
  /** Little speaks for it: it may have nothing to do with the query. */
  readonly weak: boolean;
}
