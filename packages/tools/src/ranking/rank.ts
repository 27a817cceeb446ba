import { answersKind } from "./answer-kind.ts";
import type { Candidate, CandidateSet, Ranked } from "./candidate.ts";
import { newestFirst } from "./newest-first.ts";
import { namesOf, type Query } from "./read-query.ts";
import { readEvidence } from "./weigh-text.ts";
import { weights } from "./weights.ts";

/** How well a candidate does in one search: what speaks for it there, by which its place is weighed. */
interface Placed {
  readonly candidate: Candidate;
  readonly worth: number;
}

/**
 * Puts what a store found in order, best first: reciprocal rank fusion of words, names and vectors, each place weighed by what speaks for it. Where
 * nothing speaks for any of them, a few are left and all are marked weak. *Contract:* pure; the same candidates in another order give the same answer.
 */
export function rank(
  query: Query,
  set: CandidateSet,
  { limit }: { readonly limit: number },
): { readonly ranked: readonly Ranked[]; readonly weak: boolean } {
  const texts = readEvidence(query, set);
  const vectors = worthsOfVectors(set.candidates);
  const nameWorth = worthOfNames(query);
  const isAnswer = answersKind(query.text);
  const hasVectors = set.candidates.some(({ evidence }) => evidence.vector !== undefined);
  const worths = new Map(
    set.candidates.map((candidate) => {
      const { share = 0, worth = 0 } = texts.get(candidate.id) ?? {};
      const near = vectors.get(candidate.id) ?? 0;
      const bonus = near > 0 && isAnswer(candidate.text) ? weights.answerKind : 0;
      return [candidate.id, [hasVectors ? worth * beside(share) : worth, nameWorth(candidate), near + bonus] as const];
    }),
  );
  const scores = new Map<string, number>();
  for (const at of [0, 1, 2] as const) {
    const list = placed(set.candidates, ({ id }) => worths.get(id)?.[at] ?? 0);
    for (const [place, { candidate }] of list.entries()) {
      const worth = worths.get(candidate.id)?.[at] ?? 0;
      scores.set(candidate.id, (scores.get(candidate.id) ?? 0) + (worth * (weights.spread + 1)) / (weights.spread + place + 1));
    }
  }
  const found = placed(set.candidates, ({ id }) => scores.get(id) ?? 0);
  if (found.length === 0) return { ranked: nearestOfFew(set, Math.min(limit, weights.mostWeak)), weak: true };
  const best = found[0]?.worth ?? 0;
  const ordered = newestFirst(
    found.map(({ candidate }) => candidate),
    { texts, alike: set.alike ?? [] },
  );
  const ranked = ordered.map(({ id }) => ({
    id,
    score: Math.min(1, best) * ((scores.get(id) ?? 0) / best),
    weak: !isStrong([texts.get(id)?.share ?? 0, worths.get(id)?.[1] ?? 0, vectors.get(id) ?? 0]),
  }));
  const weak = ranked.every((each) => each.weak);
  return { ranked: ranked.slice(0, weak ? Math.min(limit, weights.mostWeak) : limit), weak };
}

/** What words count for beside vectors, by the share of the query that they are: a few of them are found in most texts. */
const beside = (share: number) => (share < weights.leastText ? 0 : Math.min(1, share));

const isStrong = (evidence: readonly number[]) => evidence.some((each, at) => each >= (weights.strong[at] ?? 1));

/** How near each is to the query, and how far it stands out of the others: there is always a nearest one, whatever is asked. */
function worthsOfVectors(candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const cosines = candidates.flatMap(({ evidence: { vector } }) => vector ?? []).sort((a, b) => b - a);
  const [from, to] = weights.others;
  const others = Array.from({ length: to - from + 1 }, (_, at) => cosines[from - 1 + at] ?? weights.usualCosine);
  const usual = others.reduce((sum, each) => sum + each, 0) / others.length;
  const [nothing, all] = weights.nearness;
  const best = cosines[0] ?? 0;
  if (best <= weights.usualCosine && best - usual < weights.leastOut) return new Map();
  const worthOf = (cosine: number) => Math.min(1, Math.max(0, (cosine + (cosine - usual) - nothing) / (all - nothing)));
  return new Map(candidates.map(({ id, evidence: { vector } }) => [id, vector === undefined ? 0 : worthOf(vector)]));
}

/**
 * What likeness of names says for a candidate. The store finds names that hold what is like a part of a word, so `commit` finds Commerzbank: one of
 * them must be like a word of the query as a whole.
 */
function worthOfNames({ words }: Pick<Query, "words">): (candidate: Candidate) => number {
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

/** The entries nearest to the query by their vectors, in a store of so few that nothing can stand out; none in a larger one. */
function nearestOfFew({ candidates, total }: CandidateSet, limit: number): readonly Ranked[] {
  if (total > weights.few) return [];
  const near = placed(candidates, ({ evidence: { vector = 0 } }) => vector);
  return near.slice(0, limit).map(({ candidate: { id }, worth }) => ({ id, score: Math.min(1, worth), weak: true }));
}

/** Those with any worth, best first; of equal ones the newer, and then by id, so that the order does not hang on how they came. */
function placed(candidates: readonly Candidate[], worthOf: (candidate: Candidate) => number): readonly Placed[] {
  const all = candidates.map((candidate) => ({ candidate, worth: worthOf(candidate) })).filter(({ worth }) => worth > 0);
  return all.sort((a, b) => b.worth - a.worth || b.candidate.savedAt - a.candidate.savedAt || (a.candidate.id < b.candidate.id ? -1 : 1));
}
