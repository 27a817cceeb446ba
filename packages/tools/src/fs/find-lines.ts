/**
 * Places where the wanted lines stand among others, in order, as counts of the lines before them. By Knuth, Morris and Pratt: the lines are compared
 * at most twice each, however much they repeat.
 */
export function findLines(
  lines: readonly string[],
  wanted: readonly string[],
  isSame: (left: string | undefined, right: string | undefined) => boolean = (left, right) => left === right,
): number[] {
  const fallback = [0];
  for (let at = 1, length = 0; at < wanted.length; at += 1) {
    let same = isSame(wanted[at], wanted[length]);
    for (; length > 0 && !same; same = isSame(wanted[at], wanted[length])) length = fallback[length - 1]!;
    if (same) length += 1;
    fallback.push(length);
  }
  const found: number[] = [];
  for (let at = 0, length = 0; at < lines.length; at += 1) {
    let same = isSame(lines[at], wanted[length]);
    for (; length > 0 && !same; same = isSame(lines[at], wanted[length])) length = fallback[length - 1]!;
    if (same) length += 1;
    if (length < wanted.length) continue;
    found.push(at - length + 1);
    length = fallback[length - 1]!;
  }
  return found;
}
