import type { Candidate } from "./candidate.ts";
import { namesOf, type Query } from "./read-query.ts";
import { weights } from "./weights.ts";

/**
 * What likeness of names says for a candidate. The store finds names that hold what is like a part of a word, so `commit` finds Commerzbank: one of
 * them must be like a word of the query as a whole.
 */
export function worthOfNames({ words }: Pick<Query, "words">, { text, names: own, evidence: { names = 0 } }: Candidate): number {
  if (names < weights.leastNames) return 0;
  const there = namesOf(text, own).split(" ");
  return words.some((word) => there.some((name) => likenessOf(word, name) >= weights.leastWhole)) ? names : 0;
}

/** The share of three letters in a row that two words have in common, counted as `pg_trgm` does. */
function likenessOf(one: string, other: string): number {
  const [a, b] = [threesOf(one), threesOf(other)];
  const common = [...a].filter((each) => b.has(each)).length;
  return common / (a.size + b.size - common);
}

const threesOf = (word: string) => new Set(Array.from({ length: word.length + 1 }, (_, at) => `  ${word} `.slice(at, at + 3)));
