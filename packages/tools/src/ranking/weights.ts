/** What the order of found ones is made of. Tuned on the open half of `test/questions` alone; docs/reference/ranking.md has the figures of both halves. */
export const weights = {
  /** How much the first places of a list count before those that follow (reciprocal rank fusion). */
  spread: 10,
  /** What a word counts for more when it stands in a heading, key or title. */
  inNames: 2,
  /** What is added to the share of matched words. */
  code: 1,
  phrase: 0.5,
  /** A cosine up to the first says nothing; the second says all. */
  cosines: [0.25, 0.75],
  /** Likeness of names below this says nothing. */
  leastNames: 0.4,
  /** A share of matched words below this counts for nothing beside vectors. */
  leastText: 0.25,
  /** What speaks for a candidate that is not weak. */
  strong: 0.4,
  /** The most that an answer has of which all is weak. */
  mostWeak: 2,
  /** Share of the words of one that stand in another that says the same, and the cosine. */
  sameWords: 0.6,
  sameCosine: 0.85,
} as const;
