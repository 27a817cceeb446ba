/** The candidate that a mistyped name most likely means, or undefined when none is close. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(name);
  let best: string | undefined;
  let bestDistance = wanted.length < 4 ? 2 : wanted.length < 9 ? 3 : 4;
  for (const candidate of candidates) {
    const other = fold(candidate);
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Case and separators do not count: `startLine`, `start_line` and `start-line` are one word. */
const fold = (name: string) =>
  name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[_\s-]/g, "");

/** Levenshtein distance, with one row. */
function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0]!;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j]!;
      row[j] = Math.min(above + 1, row[j - 1]! + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1));
      diagonal = above;
    }
  }
  return row[b.length]!;
}
