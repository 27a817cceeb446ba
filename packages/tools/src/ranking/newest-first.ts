import type { Candidate, CandidateSet } from "./candidate.ts";
import { isLike, saysTheSame } from "./says-the-same.ts";
import type { TextEvidence } from "./weigh-text.ts";
import { weights } from "./weights.ts";

/** Places, from the first, in which what is newer goes before what says the same. */
const compared = 10;

/**
 * What is newer takes the place of what says the same and is older, and the older lets a few others pass, which tell something else. Of texts that are
 * alike and have the same words of the query, both answer it: then names may differ, as when somebody else does a thing now.
 */
export function newestFirst(
  found: readonly Candidate[],
  by: { readonly texts: ReadonlyMap<string, TextEvidence>; readonly alike: NonNullable<CandidateSet["alike"]> },
): readonly Candidate[] {
  const cosines = new Map(by.alike.map(([one, other, cosine]) => [[one, other].sort().join("\n"), cosine]));
  const isSame = (one: Candidate, other: Candidate) => {
    const alike = cosines.get([one.id, other.id].sort().join("\n"));
    return (
      saysTheSame(one, other, alike) ||
      (hasSame(by.texts.get(one.id)?.matched, by.texts.get(other.id)?.matched) && isLike(one, other, alike))
    );
  };
  const ordered = [...found];
  const last = Math.min(compared, ordered.length);
  for (let at = 0; at < last; at += 1) {
    for (let next = at + 1; next < last; next += 1) {
      const [first, second] = [ordered[at] as Candidate, ordered[next] as Candidate];
      if (second.savedAt <= first.savedAt) continue;
      if (isSame(first, second)) [ordered[at], ordered[next]] = [second, first];
    }
  }
  const first = ordered.slice(0, last);
  const isPassed = (each: Candidate, at: number) =>
    first.slice(0, at).some((before) => before.savedAt > each.savedAt && isSame(before, each));
  const placed = first.map((each, at) => ({ each, place: isPassed(each, at) ? at + weights.passing + 0.5 : at }));
  return [...placed.sort((a, b) => a.place - b.place).map(({ each }) => each), ...ordered.slice(last)];
}

const hasSame = (one: ReadonlySet<string> = new Set(), other: ReadonlySet<string> = new Set()) =>
  one.size > 0 && one.size === other.size && [...one].every((word) => other.has(word));
