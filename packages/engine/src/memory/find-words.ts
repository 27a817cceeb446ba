import type { FoundCandidate, FoundSet, IndexedText, SearchQuery } from "../ports/text-index.ts";

const mostFound = 60;
const mostCounted = 1_000;

/** Finds texts by the words of a query, those that hold more and rarer ones first. */
export function findWords(texts: ReadonlyMap<string, IndexedText>, { words, codes, folded }: SearchQuery): Omit<FoundSet<never>, "items"> {
  const wanted = [...new Set([...words, ...codes.map((code) => code.toLowerCase())])];
  const whole = folded.trim();
  const matches = new Map(wanted.map((word) => [word, matcherOf(word)]));
  const counts = new Map(wanted.map((word) => [word, 0]));
  const held = [...texts].map(([id, index]) => {
    const found = wanted.filter((word) => matches.get(word)?.test(index.folded));
    for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { id, found, isExact: whole !== "" && index.folded.includes(whole) };
  });
  const weigh = (word: string) => Math.log(1 + texts.size / (counts.get(word) ?? 1));
  const candidates = held
    .filter(({ found }) => found.length > 0)
    .map(({ id, found, isExact }) => ({ id, weight: found.reduce((sum, word) => sum + weigh(word), isExact ? 1 : 0) }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, mostFound)
    .map(({ id }, index): FoundCandidate => ({ id, text: index + 1 }));
  const frequencies = Object.fromEntries([...counts].map(([word, count]) => [word, Math.min(count, mostCounted)]));
  return { candidates, frequencies, total: texts.size, without: ["A store in memory finds words as they are written."] };
}

/** A word that begins so: endings differ. */
function matcherOf(word: string): RegExp {
  const stem = word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed|en|e|n)$/, "") : word;
  return new RegExp(`(?<![\\p{L}\\p{N}])${stem.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}`, "u");
}
