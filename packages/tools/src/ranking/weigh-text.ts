import type { Candidate, CandidateSet } from "./candidate.ts";
import { wordsIn } from "./fold-text.ts";
import type { Query } from "./read-query.ts";
import { stemWord } from "./stem-word.ts";
import { weights } from "./weights.ts";

/** What words say for a candidate. */
export interface TextEvidence {
  /** The share of the query that it has, by how rare its words are; more for codes and exact phrases. */
  readonly share: number;
  /** What the words are worth by how often and how near each other they stand (BM25); candidates are ordered by it. */
  readonly worth: number;
  /** The words of the query that it has. */
  readonly matched: ReadonlySet<string>;
}

/** Weighs the words of each candidate against those of a query. */
export function readEvidence(query: Query, set: CandidateSet): ReadonlyMap<string, TextEvidence> {
  const read = set.candidates.map((candidate) => readWords(candidate, query));
  const usual = read.reduce((sum, { length }) => sum + length, 0) / Math.max(1, read.length) || 1;
  const rarities = raritiesOf(query, set, read);
  const stems = [...rarities.keys()];
  const all = [...rarities.values()].reduce((sum, rarity) => sum + rarity, 0) || 1;
  return new Map(
    read.map(({ id, counts, length, text, pairs }) => {
      const matched = new Set(stems.filter((stem) => counts.has(stem)));
      let share = 0;
      let worth = 0;
      for (const stem of matched) {
        const rarity = rarities.get(stem) ?? 0;
        const count = counts.get(stem) ?? 0;
        share += rarity;
        worth +=
          (rarity * count * (weights.saturation + 1)) /
          (count + weights.saturation * (1 - weights.lengthShare + (weights.lengthShare * length) / usual));
      }
      for (const [at, stem] of stems.entries()) {
        const next = stems[at + 1];
        if (next !== undefined && pairs.has(`${stem} ${next}`))
          worth += weights.beside * ((rarities.get(stem) ?? 0) + (rarities.get(next) ?? 0));
      }
      const exact =
        (query.codes.some((code) => text.includes(` ${code} `)) ? weights.code : 0) +
        (query.phrases.some((phrase) => text.includes(` ${phrase} `)) ? weights.phrase : 0);
      return [id, { share: share / all + exact, worth: worth / all + exact, matched }];
    }),
  );
}

interface ReadWords {
  readonly id: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly pairs: ReadonlySet<string>;
  readonly length: number;
  /** Its words, with a blank around each. */
  readonly text: string;
}

function readWords({ id, text, names }: Candidate, { language }: Query): ReadWords {
  const [own, named] = [wordsIn(text), wordsIn(names)];
  const [ownStems, namedStems] = [own.map((word) => stemWord(word, language)), named.map((word) => stemWord(word, language))];
  const counts = new Map<string, number>();
  const count = (stems: readonly string[], weight: number) => {
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + weight);
  };
  count(ownStems, 1);
  count(namedStems, weights.inNames);
  const telling = [...namedStems, "|", ...ownStems];
  const pairs = new Set(telling.slice(1).map((next, at) => `${telling[at]} ${next}`));
  return { id, counts, pairs, length: own.length + named.length, text: ` ${named.join(" ")} | ${own.join(" ")} ` };
}

/** How rare each stem of the query is: by the store's count of its words, else by the candidates. */
function raritiesOf(
  { words, language }: Query,
  { frequencies, total }: CandidateSet,
  read: readonly ReadWords[],
): ReadonlyMap<string, number> {
  const rarities = new Map<string, number>();
  for (const word of words) {
    const stem = stemWord(word, language);
    const there = read.filter(({ counts }) => counts.has(stem)).length;
    const holders = Object.hasOwn(frequencies, word) ? (frequencies[word] ?? 0) : there;
    const of = Math.max(total, read.length, holders);
    const rarity = (holders === 0 ? weights.unseen : 1) * Math.log(1 + (of - holders + 0.5) / (holders + 0.5));
    rarities.set(stem, Math.min(rarity, rarities.get(stem) ?? rarity));
  }
  return rarities;
}
