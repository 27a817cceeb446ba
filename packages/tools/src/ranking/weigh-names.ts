import type { Candidate } from "./candidate.ts";
import { namesOf, type Query } from "./read-query.ts";
import { weights } from "./weights.ts";

/**
 * What likeness of names says for a candidate. The store finds names that hold what is like a part of a word, so `commit` finds Commerzbank: one of
 * them must be like a word of the query as a whole.
 */
export function worthOfNames({ words }: Pick<Query, "words">): (candidate: Candidate) => number {
  const asked = words.map(threesOf);
  return ({ text, names: own, evidence: { names = 0 } }) => {
    if (names < weights.leastNames) return 0;
    const there = namesOf(text, own).split(" ").map(threesOf);
    return asked.some((word) => there.some((name) => likenessOf(word, name) >= weights.leastWhole)) ? names : 0;
  };
}

/** The share of what two words have in common, counted as `pg_trgm` does. */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((each) => other.has(each)).length;
  return common / (one.size + other.size - common);
}

/** Each three letters of a word that stand in a row. */
const threesOf = (word: string) => new Set(Array.from({ length: word.length + 1 }, (_, at) => `  ${word} `.slice(at, at + 3)));
