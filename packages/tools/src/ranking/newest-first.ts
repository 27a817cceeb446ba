import type { Candidate, CandidateSet } from "./candidate.ts";
import { saysTheSame } from "./says-the-same.ts";
import type { TextEvidence } from "./weigh-text.ts";

/** Places, from the first, in which what is newer goes before what says the same. */
const compared = 10;

/** What is newer takes the place of what says the same and is older. */
export function newestFirst(
  found: readonly Candidate[],
  by: { readonly texts: ReadonlyMap<string, TextEvidence>; readonly alike: NonNullable<CandidateSet["alike"]> },
): readonly Candidate[] {
  const cosines = new Map(by.alike.map(([one, other, cosine]) => [[one, other].sort().join("\n"), cosine]));
  const ordered = [...found];
  const last = Math.min(compared, ordered.length);
  for (let at = 0; at < last; at += 1) {
    for (let next = at + 1; next < last; next += 1) {
      const [first, second] = [ordered[at] as Candidate, ordered[next] as Candidate];
      if (second.savedAt <= first.savedAt) continue;
      if (saysTheSame(first, second, cosines.get([first.id, second.id].sort().join("\n")))) [ordered[at], ordered[next]] = [second, first];
    }
  }
  return ordered;
}
