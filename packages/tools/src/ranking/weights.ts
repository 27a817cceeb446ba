/** What the order of found ones is made of. Tuned on the open half of `test/questions` alone; docs/reference/ranking.md has the figures of both halves. */
export const weights = {
  /** How much the first places of a list count before those that follow (reciprocal rank fusion). */
  spread: 10,
  /** What a word counts for more when it stands in a heading, key or title. */
  inNames: 2,
  /** How soon repetition of a word stops counting, and how much length does (BM25). */
  saturation: 1.2,
  lengthShare: 0.15,
  /** What two words of the query count for more that stand beside each other. */
  beside: 0.8,
  /** What a word of the query counts that no text has. */
  unseen: 0.5,
  /** What is added to the share of matched words. */
  code: 1,
  phrase: 0.5,
  /** Cosines say little by themselves: what stands out of the others counts once more. Up to the first of these it says nothing, from the second all. */
  nearness: [0.2, 0.7],
  /** Places whose mean is what the others are; where there are fewer, this stands for the missing ones. */
  others: [3, 8],
  usualCosine: 0.3,
  /** Where the nearest is not above the usual, and does not stand out by this, vectors say nothing. */
  leastOut: 0.01,
  /** What the vector of a text counts for more that holds what is asked for: a time, a number, a person. */
  answerKind: 0.1,
  /** Likeness of names below this says nothing; nor does any where no word is as like a name as a whole. */
  leastNames: 0.55,
  leastWhole: 0.45,
  /** A share of matched words below this counts for nothing beside vectors. */
  leastText: 0.45,
  /** Entries up to which the nearest are an answer, although none stands out of the others. */
  few: 8,
  /** What is not weak has one of these: by words, by names, by vectors. */
  strong: [0.6, 0.6, 0.85],
  /** The most that an answer has of which all is weak. */
  mostWeak: 3,
  /** How many pass an older one when a newer that says the same is before it. */
  passing: 2,
  /** Share of the words of one that stand in another that says the same, and the cosine. */
  sameWords: 0.6,
  sameCosine: 0.85,
  /** Share of the words of a text that stand in a similar one, and the cosine. */
  likeWords: 0.5,
  likeCosine: 0.7,
} as const;
