/** A document by its parts; a word counts as often as its part weighs. */
export type WeightedTexts = readonly (readonly [text: string, weight: number])[];

/** How soon repetition stops counting, and how much length does (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009). */
const [saturation, lengthShare] = [1.2, 0.75];

/** How well each document fits the words of the query (BM25); 0 where none of them is in it. */
export function rankTexts(query: string, documents: readonly WeightedTexts[]): readonly number[] {
  const counted = documents.map(countWords);
  const lengths = counted.map((words) => sumOf(words.values()));
  const usual = sumOf(lengths) / Math.max(1, documents.length) || 1;
  const scores = documents.map(() => 0);
  for (const word of new Set(wordsOf(query))) {
    const holders = counted.filter((words) => words.has(word)).length;
    const rarity = Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5));
    for (const [index, words] of counted.entries()) {
      const count = words.get(word) ?? 0;
      const long = 1 - lengthShare + (lengthShare * (lengths[index] ?? 0)) / usual;
      scores[index] = (scores[index] ?? 0) + (rarity * count * (saturation + 1)) / (count + saturation * long);
    }
  }
  return scores;
}

function countWords(texts: WeightedTexts): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [text, weight] of texts) for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + weight);
  return counts;
}

/** Words that say nothing of what a tool is for. */
const small = new Set(
  "a an and are as at be by can do does for from how i if in into is it its me my no not of on or so some that the there this to up want was what when where which who with you your".split(
    " ",
  ),
);

/** Words that mean something, without the endings of English plurals and verbs. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !small.has(word)).map((word) => word.replace(/(?<=.{3})(?:ing|ed|es|s|e)$/, ""));
}

const sumOf = (numbers: Iterable<number>) => [...numbers].reduce((sum, each) => sum + each, 0);
