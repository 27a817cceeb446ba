const longestShown = 200;
const mostCompared = 20_000;

/** Says what of a wanted text a file does hold, so that the next attempt can be exact. */
export function explainMismatch(text: string, wanted: string): string {
  const lines = text.split(/\r?\n/).slice(0, mostCompared);
  const wantedLines = withoutBlankEnds(wanted.split(/\r?\n/));
  const at = findIgnoringBlanks(lines, wantedLines);
  if (at !== -1) {
    const found = lines.slice(at, at + wantedLines.length).join("\n");
    return `It stands at line ${at + 1} with other blanks. The file has exactly:\n${found}`;
  }
  const present = new Set(lines);
  const told = wantedLines.filter((line) => line.trim() !== "");
  const missing = told.filter((line) => !present.has(line));
  const counted = `${told.length - missing.length} of its ${told.length} lines occur in the file.`;
  const sought = missing[0];
  if (sought === undefined) return `${counted} They do not follow each other like this; read the file again.`;
  const nearest = findNearest(lines, sought);
  if (nearest.length === 0) return `${counted} Nothing in the file resembles: ${shorten(sought)}`;
  const shown = nearest.map(({ line, number }) => `  ${number}: ${shorten(line)}`).join("\n");
  return `${counted} The nearest lines to "${shorten(sought.trim())}" are:\n${shown}`;
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const hasText = (line: string) => line.trim() !== "";
  return lines.slice(Math.max(0, lines.findIndex(hasText)), lines.findLastIndex(hasText) + 1);
}

const collapse = (line: string) => line.trim().replace(/\s+/g, " ");

function findIgnoringBlanks(lines: readonly string[], wanted: readonly string[]): number {
  const collapsed = lines.map(collapse);
  const sought = wanted.map(collapse);
  if (sought.every((line) => line === "")) return -1;
  return collapsed.findIndex((_, at) => sought.every((line, offset) => collapsed[at + offset] === line));
}

function findNearest(lines: readonly string[], wanted: string): { line: string; number: number }[] {
  const sought = pairsOf(wanted);
  return lines
    .map((line, index) => ({ line, number: index + 1, likeness: likeness(pairsOf(line), sought) }))
    .filter((candidate) => candidate.likeness > 0.4)
    .sort((a, b) => b.likeness - a.likeness || a.number - b.number)
    .slice(0, 3);
}

function pairsOf(line: string): Set<string> {
  const trimmed = collapse(line.slice(0, longestShown));
  return new Set(Array.from({ length: Math.max(0, trimmed.length - 1) }, (_, at) => trimmed.slice(at, at + 2)));
}

/** Dice's coefficient of two sets: 1 for equal ones, 0 for disjoint ones. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common += 1;
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size);
}

function shorten(line: string): string {
  return line.length > longestShown ? `${line.slice(0, longestShown)}...` : line;
}
