import type { FoundCandidate, FoundSet, IndexedText, SearchQuery } from "../ports/text-index.ts";

/** What a store in memory finds a text by. */
interface MatchedText {
  readonly id: string;
  readonly index: IndexedText;
}

const most = 60;
/** Words of the same beginning count as forms of one word when it is this long. */
const leastStem = 4;

/** Finds texts by plain words, rarest first: a store in memory has no stems, no likeness and no vectors. */
export function matchTexts(texts: readonly MatchedText[], { words, codes }: SearchQuery): Omit<FoundSet<never>, "items"> {
  const terms = [...new Set([...words, ...codes])].filter((term) => term !== "");
  const hits = terms.map((term) => ({ term, ids: texts.filter(({ index }) => holds(index.folded, term)).map(({ id }) => id) }));
  const scores = new Map<string, number>();
  for (const { ids } of hits) for (const id of ids) scores.set(id, (scores.get(id) ?? 0) + Math.log(1 + texts.length / ids.length));
  const best = [...scores].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, most);
  return {
    candidates: best.map(([id], at): FoundCandidate => ({ id, text: at + 1 })),
    frequencies: Object.fromEntries(hits.map(({ term, ids }) => [term, ids.length])),
    total: texts.length,
    without: ["Likeness of names took no part: the store is in memory."],
  };
}

function holds(folded: string, term: string): boolean {
  if (term.includes(" ")) return ` ${folded} `.includes(` ${term} `);
  return folded.split(" ").some((word) => word === term || isFormOf(word, term) || isFormOf(term, word));
}

const isFormOf = (word: string, stem: string) => stem.length >= leastStem && word.startsWith(stem);
