import { findLines } from "./find-lines.ts";

const longestShown = 200;
const mostCompared = 20_000;
/** Characters that are compared in search of the nearest line. */
const mostLikened = 300_000;

/** Says what of a wanted text a file does hold, so that the next attempt can be exact. */
export function explainMismatch(text: string, wanted: string): string {
  const all = text.split(/\r?\n/);
  const lines = all.slice(0, mostCompared);
  const limit = all.length > lines.length ? ` Only the first ${mostCompared} of its ${all.length} lines were compared.` : "";
  const wantedLines = withoutBlankEnds(wanted.split(/\r?\n/));
  const at = findIgnoringBlanks(lines, wantedLines);
  if (at !== -1) {
    const found = lines.slice(at, at + wantedLines.length).join("\n");
    return `It stands at line ${at + 1} with other blanks. The file has exactly:\n${found}`;
  }
  const present = new Set(lines);
  const told = wantedLines.filter((line) => line.trim() !== "");
  const missing = told.filter((line) => !present.has(line));
  const counted = `${told.length - missing.length} of its ${told.length} lines occur in the file.${limit}`;
  const sought = missing[0];
  if (sought === undefined) return `${counted} They do not follow each other like this; read the file again.`;
  const likened = lines.slice(0, countLikened(lines));
  const skipped = likened.length < lines.length ? ` Only its first ${likened.length} lines were looked at for this.` : "";
  const nearest = findNearest(likened, sought);
  if (nearest.length === 0) return `${counted} Nothing in the file resembles: ${shorten(sought)}${skipped}`;
  const shown = nearest.map(({ line, number }) => `  ${number}: ${shorten(line)}`).join("\n");
  return `${counted} The nearest lines to "${shorten(sought.trim())}" are:\n${shown}${skipped && `\n${skipped.trim()}`}`;
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
  return findLines(collapsed, sought)[0] ?? -1;
}

/** How many of the first lines the search for the nearest one affords. */
function countLikened(lines: readonly string[]): number {
  let left = mostLikened;
  const end = lines.findIndex((line) => {
    left -= Math.min(line.length, longestShown);
    return left < 0;
  });
  return end === -1 ? lines.length : end;
}

function findNearest(lines: readonly string[], wanted: string): { line: string; number: number }[] {
  const sought = pairsOf(wanted);
  return lines
    .map((line, index) => ({ line, number: index + 1, likeness: likeness(pairsOf(line), sought) }))
    .filter((candidate) => candidate.likeness > 0.4)
    .sort((a, b) => b.likeness - a.likeness || a.number - b.number)
    .slice(0, 3);
}

function pairsOf(line: string): Set<number> {
  const trimmed = collapse(line.slice(0, longestShown));
  const pairs = new Set<number>();
  for (let at = 1; at < trimmed.length; at += 1) pairs.add(trimmed.charCodeAt(at - 1) * 0x10000 + trimmed.charCodeAt(at));
  return pairs;
}

/** Dice's coefficient of two sets: 1 for equal ones, 0 for disjoint ones. */
function likeness(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common += 1;
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size);
}

function shorten(line: string): string {
  return line.length > longestShown ? `${line.slice(0, longestShown)}...` : line;
}
